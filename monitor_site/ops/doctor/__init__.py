"""What commonly is wrong with an installation: small checks, each one line with what to do."""
