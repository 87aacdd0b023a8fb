"""Breadth-first search with the reference semantics: the oracle of the fast engines, and enough for tiny systems."""
