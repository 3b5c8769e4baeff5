"""The program shipped into a remote machine to run commands there; start with `main.py`."""
