"""Where a person says yes: the pages of the web flow and of the device flow."""

import secrets
from collections.abc import Awaitable, Callable
from html import escape
from urllib.parse import urlencode, urlsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from yudai.dev.fake_github import html
from yudai.dev.fake_github.authenticate import fields_of, refuse_other_sites
from yudai.dev.fake_github.errors import Refusal
from yudai.dev.fake_github.records import App, Grant
from yudai.dev.fake_github.state import State

Fields = dict[str, str]

_CODE_S = 600
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_KEPT = ("client_id", "redirect_uri", "state", "code_challenge", "code_challenge_method")


def routes(state: State) -> list[Route]:
    return [
        Route("/login/oauth/authorize", _page(state, _authorize), methods=["GET", "POST"]),
        Route("/login/device", _page(state, _device), methods=["GET", "POST"]),
    ]


def _page(
    state: State, show: Callable[[State, Fields], Response]
) -> Callable[[Request], Awaitable[Response]]:
    async def respond(request: Request) -> Response:
        try:
            fields = dict(request.query_params)
            # Only our own form says who signs in.
            fields.pop("as", None)
            if request.method == "POST":
                refuse_other_sites(request)
                fields |= await fields_of(request)
            with state.lock:
                answer = show(state, fields)
                state.save()
        except Refusal as refusal:
            return html.refused(refusal)
        return answer

    return respond


def _authorize(state: State, fields: Fields) -> Response:
    app = state.world.app
    if app is None or fields.get("client_id") != app.client_id:
        raise Refusal(404, "there is no App with this client_id")
    back = _callback(app, fields)
    if fields.get("code_challenge") and fields.get("code_challenge_method") != "S256":
        raise Refusal(400, "code_challenge_method has to be S256")
    who = fields.get("as") or fields.get("auto") or state.signs_in
    if not who:
        return _ask(state, app, {name: fields[name] for name in _KEPT if name in fields})
    query = {"state": fields["state"]} if "state" in fields else {}
    if who == "-":
        query |= {"error": "access_denied", "error_description": "The user has denied access."}
    else:
        query |= {"code": _grant(state, who, fields, back)}
    mark = "&" if "?" in back else "?"
    return RedirectResponse(f"{back}{mark}{urlencode(query)}", 302)


def _callback(app: App, fields: Fields) -> str:
    back = fields.get("redirect_uri") or (app.callbacks[0] if app.callbacks else "")
    try:
        is_near = urlsplit(back).hostname in _LOOPBACK and urlsplit(back).scheme[:4] == "http"
    except ValueError:
        is_near = False
    if not is_near or (app.callbacks and back not in app.callbacks):
        raise Refusal(400, "the redirect_uri is not associated with this application")
    return back


def _grant(state: State, login: str, fields: Fields, back: str) -> str:
    code = secrets.token_hex(10)
    state.world.grants[code] = Grant(
        login=state.person(login).login,
        client_id=fields["client_id"],
        redirect_uri=back,
        challenge=fields.get("code_challenge", ""),
        expires_at=state.now() + _CODE_S,
    )
    return code


def _ask(state: State, app: App, fields: Fields) -> Response:
    choices = [
        html.button(f"Sign in as {login}", name="as", value=login) for login in people(state)
    ]
    return html.page(
        f"Authorize {app.name}",
        f"<h1>Authorize {escape(app.name)}</h1>",
        "<p>It will act for the user that you sign in as.</p>",
        html.form(
            "/login/oauth/authorize",
            html.hidden(fields),
            *choices,
            html.button("Cancel", name="as", value="-"),
        ),
    )


def people(state: State) -> list[str]:
    return [login for login, who in state.world.people.items() if who.kind == "User"]


def _device(state: State, fields: Fields) -> Response:
    code, who = fields.get("user_code", "").strip().upper(), fields.get("as", "")
    if not who:
        typed = f'<input name="user_code" value="{escape(code)}" placeholder="ABCD-EFGH" required>'
        who_asks = html.select("as", people(state), label="as")
        return html.page(
            "Device",
            "<h1>Connect a device</h1><p>Type the code that it shows.</p>",
            html.form(
                "/login/device",
                typed,
                who_asks,
                html.button("Authorize"),
                html.button("Deny", name="deny", value="1"),
            ),
        )
    found = [device for device in state.world.devices.values() if device.user_code == code]
    if not found or found[0].expires_at <= state.now():
        raise Refusal(404, "there is no such code, or it has expired")
    if fields.get("deny"):
        found[0].denied = True
        return html.page("Denied", "<h1>Denied</h1><p>The device was not connected.</p>")
    found[0].login = state.person(who).login
    return html.page("Connected", "<h1>Your device is connected</h1><p>Go back to it.</p>")
