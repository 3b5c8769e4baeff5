"""Authentication, rights, cookies, rate limits and headers; start with `request_guards.py`."""
