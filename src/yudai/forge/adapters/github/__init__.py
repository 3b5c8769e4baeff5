"""GitHub's API over githubkit, in our own types; start with `forge.py` and `client.py`."""
