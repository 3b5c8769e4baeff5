"""Pure: the polling cursor, the comparison of two runs, and the `--json` document."""
