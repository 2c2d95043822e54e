"""What the judgments of a panel say, as pure functions of arrays: no database, no framework."""
