"""Pure: finds a patch's changes to tests, test configuration and the test runner.

Start with `tampering.py`.
"""
