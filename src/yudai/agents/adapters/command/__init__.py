"""A command-line agent inside the sandbox; start with `agent.py`."""
