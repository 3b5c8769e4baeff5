"""The size of a change in lines of code, by the language of each file.

Start at `size.py`; `code_lines.py` reads one file.
"""
