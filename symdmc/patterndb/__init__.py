"""Pattern databases: abstract distances as layers of decision diagrams, looked up in flat tables."""
