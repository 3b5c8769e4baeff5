"""`yudai show`, `compare` and the result table of a solve."""
