"""Machines at Prime Intellect, over its SDK; start with `cloud.py`."""
