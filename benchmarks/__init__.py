"""Speed and quality, measured: ``python -m benchmarks``."""
