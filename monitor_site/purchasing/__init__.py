"""Orders and money: what we intend to acquire, what may be spent on it, and what became of it."""
