"""`yudai solve`: from options to a request (`request.py`), then local, forge or server."""
