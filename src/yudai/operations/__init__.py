"""Running an installation: logs, periodic repair, retention and numbers for administrators.

Start with `sweep.py` (starts flows that were never started, ends solves whose process died);
`retention.py` removes old bases and archives, `overview.py` lists remote sandboxes.
"""
