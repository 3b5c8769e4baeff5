"""Solves requested at the forge: by a label or by a `/yudai solve` comment.

Start with `open_solves.py`; `poll.py` finds requests, `webhooks.py` takes signed hints that make
polling faster.
"""
