"""Template filters of the expert's pages."""
