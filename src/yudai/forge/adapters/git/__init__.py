"""Git as a hardened subprocess, and operations on objects and refs; start with `command.py`."""
