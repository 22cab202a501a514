"""The ways out."""
