"""Scripts that run inside a sandbox, with the repository's own Python (3.8 and later)."""
