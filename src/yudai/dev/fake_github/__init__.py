"""A fake GitHub on loopback: REST, OAuth, webhooks, pages and real git over HTTP.

Its layout is GitHub Enterprise's: REST under `/api/v3`, logins under `/login`, git under
`/owner/repo.git`. All state is in one folder and survives a restart. Start with `server.py` for the
routes and `state.py` for the data.
"""
