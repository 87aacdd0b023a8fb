"""Abstraction by composing components and merging their states."""
