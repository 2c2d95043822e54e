"""Who took part, how carefully, and what is left out."""
