"""Rows of runs: attempts, messages and costs.

Start with `tables.py` and `domain/states.py`; `message_writer.py` is the one writer of messages
per process, `spending/` reserves and settles the cost of model calls.
"""
