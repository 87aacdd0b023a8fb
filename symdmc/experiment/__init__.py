"""Many runs: the same instances under many configurations, each in a child process, results as JSON lines."""
