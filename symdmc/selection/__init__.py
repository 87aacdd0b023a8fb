"""Which variables a pattern database keeps, chosen automatically, with the reasons."""
