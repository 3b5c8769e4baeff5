"""Pure: detection from files, and set-up commands for Python and Node; start with `detect.py`."""
