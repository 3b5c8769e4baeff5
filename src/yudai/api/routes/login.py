"""Routes of login: for browsers, for terminals, and API keys."""

from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import ConfigDict, Field

from yudai.accounts.api_keys import MAX_NAME, NewKey, Scope
from yudai.accounts.device_login import DeviceBegun
from yudai.accounts.logins import Callback
from yudai.accounts.views import DeviceView, KeyList, LoginList, Me, Mode
from yudai.api.dependencies import ServiceDep
from yudai.api.errors import ApiError, Code
from yudai.api.security.cookies import redirect_uri, return_target
from yudai.api.security.rights import (
    BEGINNING_DEVICE,
    LOGGING_IN,
    POLLING_DEVICE,
    RATE_LIMITED,
    AuthorizerDep,
    MayManage,
    MayRead,
)
from yudai.kit.errors import ForbiddenError, ForgeError, RefusedError
from yudai.kit.value import Value

router = APIRouter(tags=["logins"])

_DAY_S = 86_400.0
_MAX_DAYS = 366
_MAX_TEXT = 2000
_NO_LOGIN: dict[int | str, dict[str, Any]] = {404: {"description": "This server has no login."}}
_EMPTY: dict[str, Any] = {
    "status_code": 204,
    "response_class": Response,
    "responses": _NO_LOGIN | {204: {"description": "Done."}},
}
_AWAY: dict[int | str, dict[str, Any]] = _NO_LOGIN | {
    303: {
        "description": "Redirect to the next page.",
        "headers": {"Location": {"schema": {"type": "string"}}},
    }
}
browser = APIRouter(
    tags=["logins"],
    default_response_class=RedirectResponse,
    responses=_AWAY,
    dependencies=[LOGGING_IN],
)
# Problems that the page shows when a login fails; never text of the forge or the browser.
_PROBLEMS: dict[type[Exception], Code] = {
    ForbiddenError: Code.FORBIDDEN,
    RefusedError: Code.REFUSED,
    ForgeError: Code.FORGE_UNAVAILABLE,
}

Text = Annotated[str, Query(max_length=_MAX_TEXT)]
KeyId = Annotated[str, Path(max_length=64)]


class DeviceAsk(Value):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"ticket": "0" * 64, "name": "yudai at ada's laptop"}]}
    )

    ticket: str = Field(min_length=64, max_length=64, pattern="^[0-9a-f]+$")
    name: str = Field(default="yudai login", max_length=MAX_NAME, description="Name of the key.")


class KeyAsk(Value):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"name": "CI", "scopes": ["read", "run"], "days": 30}]}
    )

    name: str = Field(min_length=1, max_length=MAX_NAME, pattern=r"\S")
    scopes: tuple[Scope, ...] = Field(default=(Scope.READ,), min_length=1, max_length=len(Scope))
    days: int | None = Field(
        default=90, ge=1, le=_MAX_DAYS, description="Days until it expires; null: never."
    )


@browser.get("/auth/login", operation_id="beginLogin", status_code=303)
async def begin(
    request: Request,
    service: ServiceDep,
    authorizer: AuthorizerDep,
    return_to: Annotated[
        Text, Query(description="A path of the page; anything else redirects to its start.")
    ] = "/",
) -> Response:
    """Redirect a browser to the forge's login."""
    logins, settings = authorizer.login_services().logins, service.settings
    begun = await logins.begin(
        return_target(return_to, settings), redirect_uri=redirect_uri(settings, request)
    )
    answer = RedirectResponse(begun.url, 303)
    authorizer.cookies.begin(answer, begun.ticket.get_secret_value())
    return answer


@browser.get("/auth/callback", operation_id="finishLogin", status_code=303)
async def finish(
    request: Request,
    service: ServiceDep,
    authorizer: AuthorizerDep,
    state: Text = "",
    code: Text = "",
    error: Text = "",
) -> Response:
    """Callback of the forge's login. On failure it redirects to `/login?problem=`."""
    logins, settings = authorizer.login_services().logins, service.settings
    ticket = request.cookies.get(authorizer.cookies.attempt, "")
    try:
        done = await logins.finish(
            Callback(ticket, state, code, error),
            redirect_uri=redirect_uri(settings, request),
            agent=request.headers.get("user-agent", ""),
            former=authorizer.cookies.read(request),
        )
    except (RefusedError, ForgeError) as trouble:
        query = urlencode({"problem": _problem(trouble)})
        answer = RedirectResponse(return_target(f"/login?{query}", settings), 303)
        authorizer.cookies.forget_attempt(answer)
        return answer
    answer = RedirectResponse(done.return_to, 303)
    authorizer.cookies.keep(answer, done.secret.get_secret_value())
    return answer


@router.get("/me", operation_id="getMe", dependencies=[RATE_LIMITED])
async def me(request: Request, service: ServiceDep, authorizer: AuthorizerDep) -> Me:
    """Get the caller, also without a login."""
    user = await authorizer.known(request)
    if user is None and "authorization" in request.headers:
        raise ApiError(Code.UNAUTHENTICATED, "this key is not valid")
    settings = service.settings
    return Me(
        mode=Mode(settings.auth_mode),
        needs_login=user is None,
        user_id=None if user is None else user.id,
        login=None if user is None else user.login,
        is_admin=user is not None and user.is_admin,
        scopes=() if user is None else tuple(scope for scope in Scope if scope in user.scopes),
        forge_url=settings.github_url,
        publish=settings.github_publish,
    )


@router.post(
    "/logout",
    operation_id="logOut",
    status_code=204,
    response_class=Response,
    responses={204: {"description": "Done."}},
    dependencies=[RATE_LIMITED],
)
async def log_out(request: Request, authorizer: AuthorizerDep, answer: Response) -> None:
    """End the login or key of this request, if any."""
    if authorizer.accounts is None:
        return
    user = await authorizer.known(request)
    if user is not None and user.key_id:
        await authorizer.accounts.keys.revoke(user.id, user.key_id)
    elif user is not None:
        await authorizer.login_services().logins.end(authorizer.cookies.read(request))
    authorizer.cookies.forget(answer)


@router.post(
    "/login/device",
    operation_id="beginDevice",
    responses=_NO_LOGIN,
    dependencies=[BEGINNING_DEVICE],
)
async def begin_device(authorizer: AuthorizerDep) -> DeviceBegun:
    """Start a terminal login: returns a code to type at the forge."""
    return await authorizer.login_services().devices.begin()


@router.post(
    "/login/device/poll",
    operation_id="pollDevice",
    responses=_NO_LOGIN,
    dependencies=[POLLING_DEVICE],
)
async def poll_device(body: DeviceAsk, authorizer: AuthorizerDep) -> DeviceView:
    """Poll a terminal login; when it is done, the key is shown once."""
    said = await authorizer.login_services().devices.poll(body.ticket, name=body.name)
    if said.person is None or said.key is None:
        return DeviceView(done=False, wait_s=said.wait_s)
    return DeviceView(done=True, wait_s=0, login=said.person.login, key=said.key.key)


@router.get("/keys", operation_id="listKeys", responses=_NO_LOGIN)
async def keys(user: MayRead, authorizer: AuthorizerDep) -> KeyList:
    """List your keys, newest first."""
    return KeyList(keys=await authorizer.people().keys.list(user.id))


@router.post("/keys", operation_id="createKey", status_code=201, responses=_NO_LOGIN)
async def create_key(body: KeyAsk, user: MayManage, authorizer: AuthorizerDep) -> NewKey:
    """Create a key for a program. A key created with another key expires no later than that."""
    lasts_s = None if body.days is None else body.days * _DAY_S
    return await authorizer.people().keys.create(
        user.id, body.name, scopes=set(body.scopes), lasts_s=lasts_s, until=user.until
    )


@router.delete("/keys/{key_id}", operation_id="revokeKey", **_EMPTY)
async def revoke_key(key_id: KeyId, user: MayManage, authorizer: AuthorizerDep) -> None:
    """Revoke a key."""
    await authorizer.people().keys.revoke(user.id, key_id)


@router.get("/logins", operation_id="listLogins", responses=_NO_LOGIN)
async def logins(user: MayRead, authorizer: AuthorizerDep) -> LoginList:
    """List your browser logins, last seen first."""
    found = await authorizer.login_services().logins.list(user.id, present=user.login_id)
    return LoginList(logins=found)


@router.delete("/logins", operation_id="endLogins", **_EMPTY)
async def end_logins(user: MayManage, authorizer: AuthorizerDep, answer: Response) -> None:
    """End all your browser logins, including this one."""
    await authorizer.login_services().logins.end_all(user.id)
    authorizer.cookies.forget(answer)


@router.delete("/logins/{login_id}", operation_id="endLogin", **_EMPTY)
async def end_login(login_id: KeyId, user: MayManage, authorizer: AuthorizerDep) -> None:
    """End the login of another browser."""
    await authorizer.login_services().logins.end_one(user.id, login_id)


@router.post("/disconnect", operation_id="disconnectForge", **_EMPTY)
async def disconnect(user: MayManage, authorizer: AuthorizerDep, answer: Response) -> None:
    """Forget your forge token and end all your keys and logins, including this one."""
    people = authorizer.people()
    await people.keyring.disconnect(user.id)
    people.access.forget(user.id)
    authorizer.cookies.forget(answer)


def _problem(error: Exception) -> Code:
    return next(code for kind, code in _PROBLEMS.items() if isinstance(error, kind))
