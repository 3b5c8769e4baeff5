"""Parts that only Python needs in the sources of tests and patches."""
