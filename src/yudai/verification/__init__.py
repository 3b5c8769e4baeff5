"""Verifies patches in clean sandboxes that the agent never touches.

Start with `verify.py`, which looks at a patch (`look.py`) and examines it (`examine.py`). Then
`cross_examination.py` runs the tests of each answer on the others, and `domain/decide.py` turns
the results into verdicts and questions, by the rules in `domain/rules.py`.
"""
