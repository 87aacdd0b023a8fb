"""Traces and certificates, and their checkers, which share no code with the engines that produce them."""
