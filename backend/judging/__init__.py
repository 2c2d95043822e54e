"""Language models answer the same instrument through the same door."""
