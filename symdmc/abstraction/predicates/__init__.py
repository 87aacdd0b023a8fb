"""Predicates: what they are, where they come from, their normal form."""
