"""Answers joined with the unsealed key: figures and their pages."""
