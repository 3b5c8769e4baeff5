"""The read side: what the API, the page and the command line show.

Start with `solves.py` and `runs.py`; `updates.py` answers polls with what changed since a cursor,
`documents.py` builds the `--json` document.
"""
