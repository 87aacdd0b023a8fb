"""Checking an obligation state by state, where the states of a certificate can be listed."""
