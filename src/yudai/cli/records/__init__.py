"""Solves and runs as commands read them: from this home's database or from a server's API."""
