"""A self-hosted monitor of marketplaces."""

__version__ = "0.1.0"
