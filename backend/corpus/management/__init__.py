"""The corpus at the command line."""
