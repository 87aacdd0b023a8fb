"""Searches over sets of states."""
