"""The researcher's pages about language models, runs, and what was written."""
