"""Whether human poems are told from machine poems, and how surely that is known."""
