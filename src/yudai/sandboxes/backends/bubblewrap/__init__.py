"""Local sandboxes by bubblewrap: own namespaces, overlay workspace; start with `backend.py`."""
