"""The measures by which selections judge patterns."""
