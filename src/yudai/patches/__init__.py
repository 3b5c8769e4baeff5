"""Patches: reading git diffs, which paths are tests, secrets in them, and what blocks publishing.

All of it is pure. Start with `patch.py`; `test_paths.py` is the one table of test files and test
configuration.
"""
