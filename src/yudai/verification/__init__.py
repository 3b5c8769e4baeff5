"""Proves in clean sandboxes what a patch is worth; the agent never touches these sandboxes.

Start with `verify.py`, which looks at a patch (`look.py`) and examines it (`examine.py`). Then
`cross_examination.py` runs the tests of each answer on the others, and `domain/decide.py` makes
verdicts and questions of all that was found, by the rules in `domain/rules.py`.
"""
