"""Data packages: every rating, with its codebook."""
