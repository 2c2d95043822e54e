"""What researchers fill in: a language model, a run, a file of machine poems."""
