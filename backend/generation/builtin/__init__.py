"""The built-in writer: small n-gram models behind a local OpenAI-compatible endpoint."""
