"""The steps of a task as the parts of a relation."""
