"""Facts and their consequences; what open pages hear."""
