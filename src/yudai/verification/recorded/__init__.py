"""Values that the code under test computes without a test runner, compared in our own process.

Start with `compare.py`: it takes tests apart (`domain/python_tests.py`, `domain/script_tests.py`),
varies their literals (`domain/vary.py`), records the values (`record.py`) and says what they show
(`domain/findings.py`).
"""
