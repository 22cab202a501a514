"""Alerts: what people are told of, through which channels, and what became of it."""
