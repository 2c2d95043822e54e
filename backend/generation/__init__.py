"""Language models write poems to briefs: models, runs, generations."""
