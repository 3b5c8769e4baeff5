"""Measurements behind `yudai bench`: ratios against the bare programs, with their targets.

Each module is one measurement; start with `overhead.py` or `sandbox.py`. Results are kept in
docs/explanation/measurements.md.
"""
