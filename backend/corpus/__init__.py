"""Collections of human poems and the importers that fill them."""
