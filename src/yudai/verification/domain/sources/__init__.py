"""Reads the sources of patches and tests: Python as a syntax tree, scripts as tokens.

Everything here is pure and never executes the code that it reads. `names.py` has the values.
Callers use the modules one level up: symbols, test sources, test subjects and ties to the issue.
"""
