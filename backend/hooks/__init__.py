"""Signed webhooks: telling other programs what happened in a study, and nothing of who or what."""
