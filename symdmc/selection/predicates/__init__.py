"""Refinement of predicates: abstract traces, refutations, parts of the network."""
