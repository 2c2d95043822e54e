"""What an expert touches: instruments, items, assignments, answers. Never imports backend."""
