"""Formats of dates, times and numbers, one module a language."""
