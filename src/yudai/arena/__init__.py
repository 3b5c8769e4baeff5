"""The use cases of a solve, from the request to the offered champion.

Start with `flow.py`: prepare, run, verify, cross-examine, rank, offer, publish, top to bottom.
`submit.py` and `open.py` create a solve, `attempts.py` takes one run to its verdict, `run.py` is
one attempt, `cancel.py` ends solves that were cancelled or abandoned.
"""
