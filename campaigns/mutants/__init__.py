"""Bugs planted on purpose: a list of small changes to the package, each of which some test must find."""
