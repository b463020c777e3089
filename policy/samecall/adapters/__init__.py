"""The gate inside agent frameworks: one a module, each imported only when it is used."""
