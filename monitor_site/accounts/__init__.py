"""People and how they come in."""
