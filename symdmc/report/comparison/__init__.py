"""Comparisons of many runs as tables and figures."""
