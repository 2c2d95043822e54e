"""Drafts, judgments and ratings; the expert's pages and API."""
