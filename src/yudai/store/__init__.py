"""What is kept: solves, runs, events, messages and artifacts, on SQLite or PostgreSQL."""
