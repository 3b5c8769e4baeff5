"""Tokens of runs: what they say, and every way in which one is not good."""

import base64
import hashlib
import hmac
import json
from typing import Any

import jwt
import pytest
from pydantic import SecretStr

from tests.support.fakes import StillClock
from tests.support.servers.model_endpoint import INSTALLATION, SECRET, MovableClock
from yudai.agents.endpoint.tokens import (
    AUDIENCE,
    RunClaims,
    RunTokens,
    check_run,
    make_tokens,
    read_claims,
)
from yudai.kit.errors import RefusedError, UnknownCallerError
from yudai.kit.ids import RunId, SolveId
from yudai.runs.domain.states import RunState

NOW = int(StillClock().now())
CLAIMS = RunClaims(
    iss=INSTALLATION,
    aud=AUDIENCE,
    exp=NOW + 60,
    run=RunId("r"),
    solve=SolveId("s"),
    attempt=1,
    model="vendor/m",
    cap_micros=5,
)
KEY = SECRET.get_secret_value()


@pytest.fixture
def tokens() -> RunTokens:
    return make_tokens(SECRET, issuer=INSTALLATION, clock=StillClock())


def signed(tokens: RunTokens) -> str:
    return tokens.sign(CLAIMS).get_secret_value()


def made(key: str = KEY, algorithm: str = "HS256", **changes: Any) -> str:
    return jwt.encode(CLAIMS.model_dump() | changes, key, algorithm=algorithm)


def test_what_was_signed_is_read(tokens: RunTokens):
    token = signed(tokens)
    assert tokens.read(f"Bearer {token}") == CLAIMS
    assert tokens.read(f"bearer  {token} ") == CLAIMS
    assert token not in repr(tokens.sign(CLAIMS))


@pytest.mark.parametrize(
    "changes",
    [
        {"iss": "another installation"},
        {"aud": "login"},
        {"exp": NOW},
        {"exp": NOW - 3600},
        {"exp": None},
        {"exp": str(NOW + 60)},
        {"attempt": 0},
        {"attempt": True},
        {"attempt": "1"},
        {"cap_micros": -1},
        {"run": ""},
        {"admin": True},
    ],
)
def test_a_token_that_says_something_else_is_not_good(tokens: RunTokens, changes: dict[str, Any]):
    with pytest.raises(UnknownCallerError):
        tokens.read(f"Bearer {made(**changes)}")


@pytest.mark.parametrize("missing", list(RunClaims.model_fields))
def test_a_token_without_one_of_its_claims_is_not_good(missing: str):
    payload = {name: value for name, value in CLAIMS.model_dump().items() if name != missing}
    with pytest.raises(UnknownCallerError):
        read_claims(payload, issuer=INSTALLATION, now=NOW)


def _unsigned() -> str:
    return jwt.encode(CLAIMS.model_dump(), "", algorithm="none")


def _none_with_our_signature() -> str:
    """The algorithm is ours to choose, not the token's."""
    _, payload, _ = made().split(".")
    header = base64.urlsafe_b64encode(json.dumps({"alg": "none"}).encode()).decode().rstrip("=")
    digest = hmac.new(KEY.encode(), f"{header}.{payload}".encode(), hashlib.sha256).digest()
    return f"{header}.{payload}.{base64.urlsafe_b64encode(digest).decode().rstrip('=')}"


def _tampered() -> str:
    header, _, signature = made().split(".")
    payload = json.dumps(CLAIMS.model_dump() | {"cap_micros": 10**9}).encode()
    return f"{header}.{base64.urlsafe_b64encode(payload).decode().rstrip('=')}.{signature}"


@pytest.mark.parametrize(
    "token",
    [
        _unsigned(),
        _none_with_our_signature(),
        _tampered(),
        made(key="x" * 64),
        made(key="x" * 64, algorithm="HS512"),
        made(key=KEY * 2, algorithm="HS512"),
        made()[:-2],
        made().rpartition(".")[0] + ".",
        "",
        "....",
        "é" * 20,
        "\ud800",
        "a" * 5000,
    ],
)
def test_what_we_have_not_signed_is_not_good_and_never_repeated(tokens: RunTokens, token: str):
    with pytest.raises(UnknownCallerError) as refusal:
        tokens.read(f"Bearer {token}")
    assert not token.strip(".") or token not in str(refusal.value)


@pytest.mark.parametrize("header", ["", "Basic abc", "Bearer", made()])
def test_only_a_bearer_is_looked_at(tokens: RunTokens, header: str):
    with pytest.raises(UnknownCallerError):
        tokens.read(header)


def test_it_ends_by_our_own_clock():
    clock = MovableClock()
    tokens = make_tokens(SECRET, issuer=INSTALLATION, clock=clock)
    token = made(exp=int(clock.now()) + 60)
    assert tokens.read(f"Bearer {token}").run == "r"
    clock.ahead_s = 61
    with pytest.raises(UnknownCallerError, match="ended"):
        tokens.read(f"Bearer {token}")


@pytest.mark.parametrize(
    ("state", "attempt", "words"),
    [
        (RunState.RUNNING, 2, "earlier attempt"),
        (RunState.VERIFYING, 1, "run has ended"),
        (RunState.COMPLETED, 1, "run has ended"),
        (RunState.QUEUED, 1, "run has ended"),
    ],
)
def test_it_is_good_while_its_attempt_goes_on(state: RunState, attempt: int, words: str):
    check_run(CLAIMS, state=RunState.RUNNING, attempt=1)
    with pytest.raises(UnknownCallerError, match=words):
        check_run(CLAIMS, state=state, attempt=attempt)


@pytest.mark.parametrize(("secret", "words"), [(None, "is missing"), ("x" * 31, "is too short")])
def test_without_a_good_secret_it_is_said_what_to_do(secret: str | None, words: str):
    given = None if secret is None else SecretStr(secret)
    with pytest.raises(RefusedError, match=f"JWT_SECRET {words}.*openssl rand") as refusal:
        make_tokens(given, issuer="x", clock=StillClock())
    assert secret is None or secret not in str(refusal.value)
