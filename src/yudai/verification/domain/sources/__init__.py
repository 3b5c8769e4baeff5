"""Reading the sources of patches and tests: Python by its tree, scripts by their tokens.

Everything here is pure and never executes what it reads. `names.py` has the values; what others
call is one level up: symbols, sources of tests, what tests are about, and ties to the issue.
"""
