"""Evidence and its judges, which share no code with the engines that produce it."""
