"""Packed states and arrays, and how the functions that work on them are compiled."""
