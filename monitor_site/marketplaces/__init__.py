"""Marketplaces: which there are, how they are asked, and what protects them and us."""
