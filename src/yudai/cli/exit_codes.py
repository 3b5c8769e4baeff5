"""Exit codes, the same for every command."""

OK = 0
FAILED = 1
NO_CHAMPION = 2
OUT_OF_BUDGET = 3
REFUSED = 4
INTERRUPTED = 130
BROKEN_PIPE = 141
SIGNALLED = 128
"""Plus the number of the signal."""
