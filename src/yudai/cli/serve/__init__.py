"""`yudai serve` and `yudai worker`."""
