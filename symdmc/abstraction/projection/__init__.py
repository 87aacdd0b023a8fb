"""Abstraction by projection: variables are dropped."""
