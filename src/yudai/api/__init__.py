"""The HTTP edge: FastAPI routes, problem+json errors, guards and the built page.

Start with `app.py`, which puts `security/` around `routes/`. A handler checks a right, calls one
use case and returns its view; `errors.py` maps every error to a status and a problem code.
"""
