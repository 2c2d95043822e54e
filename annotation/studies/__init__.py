"""A study as its judges may know it: blinded items, panel, assignments."""
