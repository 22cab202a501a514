"""Watches, what they ask, and what checks found for them."""
