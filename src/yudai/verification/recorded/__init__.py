"""Records values that the code under test computes without a test runner, and compares them.

Start with `compare.py`: it takes tests apart (`domain/python_tests.py`, `domain/script_tests.py`),
varies their literals (`domain/vary.py`), records the values (`record.py`) and evaluates them
(`domain/findings.py`). The comparison runs in our own process, not in the sandbox.
"""
