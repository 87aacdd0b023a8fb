"""Searches that a heuristic guides."""
