"""Refinement by counterexamples: abstract traces, flaws, and what removes them."""
