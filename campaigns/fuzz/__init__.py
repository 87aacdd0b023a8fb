"""Random systems with every feature of the language, and all ways to check them held to brute force of its own."""
