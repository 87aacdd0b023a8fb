"""symdmc, a directed model checker."""
