"""Proves in clean sandboxes what a patch is worth; the agent never touches these sandboxes.

Start with `verify.py`. `stages.py` runs the tests, `domain/judge.py` turns reports into a verdict,
`domain/tampering.py` finds changes to what proves the patch, `cross_examination.py` runs each new
test against every other patch.
"""
