"""What an installation is doing and what is wrong with it: one set of figures for page, commands and metrics."""
