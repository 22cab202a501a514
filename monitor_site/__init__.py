"""A self-hosted monitor of marketplaces."""
