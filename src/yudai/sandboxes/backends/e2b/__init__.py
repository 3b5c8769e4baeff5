"""Machines at E2B or at your own control plane, over its SDK; start with `cloud.py`."""
