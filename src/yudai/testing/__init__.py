"""Running a repository's tests in a sandbox and reading the result of each test.

Start with `run.py`. `domain/runners.py` has a row for each runner. `detect.py` finds the test
command, `reporters/` are the scripts that report from inside the sandbox.
"""
