"""`yudai watch` and the live table of runs."""
