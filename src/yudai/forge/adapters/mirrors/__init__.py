"""Bare mirrors of remote repositories: fetch, build a commit, push; start with `mirrors.py`."""
