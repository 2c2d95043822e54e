"""Exports at the command line."""
