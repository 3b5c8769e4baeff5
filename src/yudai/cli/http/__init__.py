"""The HTTP client of a server, its login file, and the lock that tells which server owns a home."""
