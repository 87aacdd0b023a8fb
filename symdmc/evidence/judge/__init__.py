"""What the states and steps of a system are, decided once more: shares with the engines the types of the model only."""
