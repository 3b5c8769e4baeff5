"""Where repositories live."""
