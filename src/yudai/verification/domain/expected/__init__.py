"""Pure: decides whether two versions of a test differ only in expected values.

Start with `python_tests.py`, `script_tests.py` and `snapshot_files.py`: each compares two texts.
"""
