"""A GitHub of one's own on loopback: REST, OAuth, webhooks, pages and real git over HTTP.

It is laid out as GitHub Enterprise is: REST under `/api/v3`, logins under `/login`, git under
`/owner/repo.git`. Everything lives in one folder and survives a restart.
"""
