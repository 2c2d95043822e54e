"""Filters for the pages of generation."""
