"""The fake GitHub as one ASGI application."""

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from yudai.dev.fake_github import git_http, oauth
from yudai.dev.fake_github.errors import not_found
from yudai.dev.fake_github.git_http import GitHttp
from yudai.dev.fake_github.middleware import Front
from yudai.dev.fake_github.pages import consent, pages
from yudai.dev.fake_github.rest import app, endpoint, issues, pulls, repositories
from yudai.dev.fake_github.rest.endpoint import PREFIX, encode
from yudai.dev.fake_github.state import State

ENDPOINTS = (
    *repositories.ENDPOINTS,
    *issues.ENDPOINTS,
    *pulls.ENDPOINTS,
    *app.ENDPOINTS,
)


_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]


def create_app(state: State) -> ASGIApp:
    git = GitHttp(state)
    return Front(
        Starlette(
            routes=[
                *endpoint.routes(state, ENDPOINTS),
                Route(PREFIX + "/{rest:path}", _nothing, methods=_METHODS),
                *oauth.routes(state),
                *consent.routes(state),
                Route("/{owner}/{repo}.git/{rest:path}", git),
                *(Route(f"/{{owner}}/{{repo}}/{path}", git) for path in git_http.PATHS),
                *pages.routes(state),
            ]
        ),
        state,
    )


async def _nothing(_: Request) -> Response:
    refusal = not_found()
    return Response(encode(refusal.document()), refusal.status, media_type="application/json")
