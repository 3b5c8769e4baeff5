"""People who use an installation: logins, API keys, sealed forge tokens, and what each may do.

Start with `access.py` (what a person may do) and `logins.py` (how a browser signs in);
`credentials.py` decides in whose name the forge is called. Secrets are sealed in `adapters/`.
"""
