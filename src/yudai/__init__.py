"""Yudai: an arena where coding agents compete to solve an issue, and the answer is proved."""

__version__ = "0.1.0"
