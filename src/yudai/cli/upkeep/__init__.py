"""`yudai doctor`, `reap`, `bases` and `sandbox build-template`."""
