"""Data files of the package: tables that are too long for code, read when first needed."""

from __future__ import annotations

from typing import Any


def read_table(*path: str) -> dict[str, Any]:
    """Return the TOML file at a path below ``data/``.

    >>> read_table("curl.toml")["options"]["silent"]["short"]
    's'
    """
    import pkgutil  # noqa: PLC0415  # these two are a tenth of the time that importing callkey takes
    import tomllib  # noqa: PLC0415

    content = pkgutil.get_data("callkey", "/".join(("data", *path)))
    return tomllib.loads((content or b"").decode())
