"""The composition root: settings become adapters, adapters become services.

Start with `components.py` (what every process needs), then `local_app.py`, `api_service.py` or
`worker.py` for one kind of process. Each backend is imported only when it is chosen.
"""
