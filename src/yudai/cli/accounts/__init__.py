"""`yudai login`, `logout`, `whoami` and `keys`."""
