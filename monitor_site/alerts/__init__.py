"""Alerts: who is told what, on which channel, and the ways it goes."""
