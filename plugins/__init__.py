"""One package for each marketplace."""
