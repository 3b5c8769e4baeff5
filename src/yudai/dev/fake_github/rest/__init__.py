"""The REST API under `/api/v3`; `endpoint.py` is what all its routes share."""
