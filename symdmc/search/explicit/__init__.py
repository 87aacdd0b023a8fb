"""Searches without a heuristic, state by state."""
