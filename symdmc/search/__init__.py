"""Searches over the states of a task."""
