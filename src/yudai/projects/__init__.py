"""How a repository is set up and tested: given, from its `.yudai.yml`, or detected from its files.

Start with `find.py`; the rules for Python and Node are in `domain/`.
"""
