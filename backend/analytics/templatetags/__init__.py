"""Template filters of the pages of results."""
