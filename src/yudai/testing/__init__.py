"""Running a repository's tests in a sandbox and reading the result of each test.

Start with `run.py`. `detect.py` finds the test command, `python.py` and `node.py` know the
runners, `reporters/` are the scripts that report from inside the sandbox.
"""
