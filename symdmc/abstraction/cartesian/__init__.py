"""Cartesian predicate abstraction: abstract states as cubes."""
