"""What a request means where it says nothing; the command line reads it at its start."""

REDUCER = "evidence"
"""The row of `ranking/domain/reducers.py` that picks the champion."""
PARALLEL = 4
"""Runs at the same time."""
