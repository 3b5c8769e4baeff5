"""The command line edge: Typer commands, terminal output and exit codes.

Start with `main.py` (entry point, errors to exit codes) and `app.py` (commands and options). Each
command is one module or sub-package; it imports what it needs when it runs, to start fast.
"""
