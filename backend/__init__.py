"""Everything but what an expert touches: corpus, generation, design, judging, analysis, export."""
