"""How large a change is: lines that are code, by the language of each file.

Start at `size.py`; `code_lines.py` reads one file.
"""
