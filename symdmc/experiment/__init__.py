"""Many runs: the same instances under many configurations, each run in a child process, results as JSON lines."""
