"""Pure: what a test expects, and whether two versions of it differ in nothing else.

Start with `python_tests.py`, `script_tests.py` and `snapshot_files.py`: each compares two texts.
"""
