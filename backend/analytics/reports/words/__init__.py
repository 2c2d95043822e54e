"""The words of each author's poems."""
