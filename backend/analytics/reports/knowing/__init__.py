"""How well poems were known to their judges."""
