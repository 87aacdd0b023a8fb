"""From spelling to objects: what the public functions and the commands call."""
