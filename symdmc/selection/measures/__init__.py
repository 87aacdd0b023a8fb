"""What selections judge patterns by."""
