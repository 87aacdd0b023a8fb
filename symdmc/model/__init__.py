"""What a system is: its types, its expressions, its reference semantics, its text and JSON forms, its traces."""
