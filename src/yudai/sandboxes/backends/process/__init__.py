"""Plain processes without isolation, only on request; start with `backend.py`."""
