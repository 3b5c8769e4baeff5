"""What a patch did to what proves it: tests, their configuration, the runner itself. Pure.

Start with `tampering.py`.
"""
