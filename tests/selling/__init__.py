"""A marketplace that sells, and what orders there need."""
