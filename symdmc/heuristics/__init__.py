"""Estimates of the distance to an error state."""
