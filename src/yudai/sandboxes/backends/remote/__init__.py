"""The one backend over every Cloud: machines, bases, warden client; start with `backend.py`."""
