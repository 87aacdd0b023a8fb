"""Measurements and comparisons; each file is a command: `python -m benchmarks.beem --help`."""
