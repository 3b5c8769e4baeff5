"""Logging in over HTTP: cookies, the way there and back, other sites, limits, headers."""

from collections.abc import AsyncGenerator
from ipaddress import ip_network
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from fastapi import FastAPI
from pydantic import ValidationError
from starlette.requests import Request

from tests.support.api_client import Place, client_of
from tests.support.servers.login_server import REPO, SOLVE, House, fill, open_house
from yudai.accounts.api_keys import ALL_SCOPES
from yudai.api.errors import Code
from yudai.api.security.cookies import Cookies, return_target
from yudai.api.security.rate_limits import address_of
from yudai.settings import Settings

FRONTEND = "https://app.yudai.example"
PUBLIC = {"DOMAIN": "yudai.example", "FRONTEND_URL": FRONTEND}


@pytest.fixture
async def house(tmp_path: Path) -> AsyncGenerator[House]:
    async with open_house(tmp_path) as opened:
        yield opened


@pytest.fixture
async def public(tmp_path: Path) -> AsyncGenerator[House]:
    """As others reach it, over https."""
    async with open_house(tmp_path, **PUBLIC) as opened:
        yield opened


def cookies(answer: httpx.Response) -> dict[str, str]:
    """Each with its attributes."""
    found = (line.partition("=") for line in answer.headers.get_list("set-cookie"))
    return {name: rest for name, _, rest in found}


async def log_in(
    house: House, client: httpx.AsyncClient, login: str = "ada", return_to: str = "/"
) -> httpx.Response:
    begun = await client.get("/auth/login", params={"return_to": return_to})
    assert begun.status_code == 303
    code, state = house.crowd.provider.agree(begun.headers["location"], login)
    return await client.get("/auth/callback", params={"code": code, "state": state})


async def test_there_and_back(house: House):
    async with client_of(house.app) as client:
        assert (await client.get("/api/solves")).json()["code"] == Code.UNAUTHENTICATED
        done = await log_in(house, client, return_to="/solves?x=1")
        assert (done.status_code, done.headers["location"]) == (303, "/solves?x=1")
        me = (await client.get("/api/me")).json()
        assert (me["login"], me["mode"], me["needs_login"]) == ("ada", "github", False)
        assert me["is_admin"] is True
        assert (await client.get("/api/solves")).status_code == 200


async def test_no_one_is_known_before(house: House):
    async with client_of(house.app) as client:
        me = (await client.get("/api/me")).json()
    assert (me["needs_login"], me["user_id"], me["login"]) == (True, None, None)
    assert me["scopes"] == []


async def test_local_mode_has_no_login(client: httpx.AsyncClient):
    me = (await client.get("/api/me")).json()
    assert (me["mode"], me["needs_login"], me["user_id"]) == ("local", False, "local")
    for method, path in (
        ("GET", "/auth/login"),
        ("GET", "/auth/callback"),
        ("POST", "/api/login/device"),
        ("GET", "/api/keys"),
        ("GET", "/api/logins"),
        ("DELETE", "/api/logins"),
        ("POST", "/api/disconnect"),
    ):
        answer = await client.request(method, path)
        assert answer.json()["code"] == Code.NOT_FOUND, path
    answer = await client.post("/api/logout")
    assert answer.status_code == 204
    assert "content-type" not in answer.headers
    assert (await client.get("/api/settings")).status_code == 200
    for headers in ({"Authorization": "Bearer x"}, {"Cookie": "yudai-loopback=x"}):
        assert (await client.get("/api/solves", headers=headers)).status_code == 200


async def test_cookies_are_the_browsers_alone(public: House):
    async with client_of(public.app, base_url="https://yudai.example") as client:
        begun = await client.get("/auth/login")
        done = await log_in(public, client)
    attributes = "Path=/; SameSite=lax; Secure"
    [(name, value)] = cookies(begun).items()
    assert name == "__Host-yudai-login"
    assert value.partition("; ")[2] == f"HttpOnly; Max-Age=600; {attributes}"
    kept = cookies(done)
    assert set(kept) == {"__Host-yudai", "__Host-yudai-login"}
    assert kept["__Host-yudai"].partition("; ")[2] == f"HttpOnly; Max-Age=1209600; {attributes}"
    assert "Max-Age=0" in kept["__Host-yudai-login"]
    assert "domain" not in str(kept).lower()


async def test_only_on_ones_own_machine_is_the_cookie_another(house: House, public: House):
    async with client_of(house.app) as client:
        kept = cookies(await log_in(house, client))
    assert "secure" not in kept["yudai-loopback"].lower()
    assert "HttpOnly" in kept["yudai-loopback"]
    # Never taken for the other one.
    secret = (await public.crowd.log_in("ada")).secret.get_secret_value()
    for name, status in (("yudai-loopback", 401), ("__Host-yudai", 200)):
        async with public.client(Cookie=f"{name}={secret}") as client:
            assert (await client.get("/api/solves")).status_code == status


async def test_logging_in_changes_the_cookie_and_logging_out_ends_it(house: House):
    async with client_of(house.app) as client:
        await log_in(house, client)
        first = client.cookies["yudai-loopback"]
        await log_in(house, client)
        second = client.cookies["yudai-loopback"]
        assert first != second
        out = await client.post("/api/logout")
        assert out.status_code == 204
        assert "Max-Age=0" in cookies(out)["yudai-loopback"]
        assert "yudai-loopback" not in client.cookies
    for secret in (first, second):
        async with house.client(Cookie=f"yudai-loopback={secret}") as client:
            assert (await client.get("/api/solves")).status_code == 401


async def test_a_login_elsewhere_is_ended_from_here(house: House):
    here, there = await house.cookie("ada"), await house.cookie("ada")
    async with house.client(**here) as client:
        listed = (await client.get("/api/logins")).json()["logins"]
        other = next(one["id"] for one in listed if not one["present"])
        assert (await client.delete(f"/api/logins/{other}")).status_code == 204
        assert (await client.get("/api/solves")).status_code == 200
    async with house.client(**there) as client:
        assert (await client.get("/api/solves")).status_code == 401
    async with house.client(**here) as client:
        assert (await client.delete("/api/logins")).status_code == 204
        assert (await client.get("/api/solves")).status_code == 401


async def test_who_disconnects_is_known_by_nothing_any_more(house: House):
    here, there = await house.cookie("wim"), await house.cookie("wim")
    key, other = await house.key("wim", *ALL_SCOPES), await house.cookie("ada")
    async with house.client(**here) as client:
        answer = await client.post("/api/disconnect")
        assert answer.status_code == 204
        assert "Max-Age=0" in cookies(answer)["yudai-loopback"]
    for headers in (here, there, key):
        async with house.client(**headers) as client:
            assert (await client.get("/api/solves")).status_code == 401
    async with house.client(**other) as client:
        assert (await client.get("/api/solves")).status_code == 200


async def test_no_other_site_disconnects_anybody(house: House):
    wim = await house.cookie("wim")
    async with house.client(**wim, Origin="https://evil.example") as client:
        assert (await client.post("/api/disconnect")).json()["code"] == Code.CROSS_ORIGIN
    async with house.client(**wim) as client:
        assert (await client.get("/api/solves")).status_code == 200


@pytest.mark.parametrize(
    ("given", "is_secure"),
    [
        ({}, False),
        ({"DOMAIN": "localhost", "FRONTEND_URL": "http://127.0.0.1:5173"}, False),
        ({"BACKEND_URL": "http://[::1]:8000/api"}, False),
        ({"DOMAIN": "yudai.example"}, True),
        ({"BACKEND_URL": "https://yudai.example/api"}, True),
        ({"GITHUB_REDIRECT_URI": "https://yudai.example/auth/callback"}, True),
        ({"FRONTEND_URL": FRONTEND}, True),
        ({"FRONTEND_URL": FRONTEND, "BACKEND_URL": "http://127.0.0.1:8000/api"}, True),
    ],
)
def test_any_public_name_makes_the_cookie_secure(
    tmp_path: Path, given: dict[str, str], *, is_secure: bool
):
    found = Cookies.of(Settings.model_validate({"YUDAI_HOME": tmp_path, **given}))
    assert found.is_secure is is_secure
    assert found.login.startswith("__Host-") is is_secure


async def test_a_callback_without_its_beginning_lets_no_one_in(house: House):
    async with client_of(house.app) as victim, client_of(house.app) as attacker:
        begun = await attacker.get("/auth/login")
        code, state = house.crowd.provider.agree(begun.headers["location"], "eve")
        # The attacker's own callback, opened in the victim's browser.
        answer = await victim.get("/auth/callback", params={"code": code, "state": state})
        assert answer.headers["location"] == "/login?problem=refused"
        assert "yudai-loopback" not in victim.cookies


async def test_a_replayed_callback_lets_no_one_in(house: House):
    async with client_of(house.app) as client:
        begun = await client.get("/auth/login")
        ticket = client.cookies["yudai-loopback-login"]
        code, state = house.crowd.provider.agree(begun.headers["location"], "ada")
        back = {"code": code, "state": state}
        assert (await client.get("/auth/callback", params=back)).headers["location"] == "/"
    async with house.client(Cookie=f"yudai-loopback-login={ticket}") as again:
        answer = await again.get("/auth/callback", params=back)
        assert answer.headers["location"] == "/login?problem=refused"


async def test_what_the_forge_says_is_not_shown(house: House):
    async with client_of(house.app) as client:
        begun = await client.get("/auth/login")
        _, state = house.crowd.provider.agree(begun.headers["location"], "ada")
        back = {"error": "access_denied<script>", "state": state}
        answer = await client.get("/auth/callback", params=back)
        assert answer.headers["location"] == "/login?problem=forbidden"
        begun = await client.get("/auth/login")
        code, state = house.crowd.provider.agree(begun.headers["location"], "ada")
        house.crowd.forge.faults.before("whoami")
        answer = await client.get("/auth/callback", params={"code": code, "state": state})
        assert answer.headers["location"] == "/login?problem=forge_unavailable"


async def test_the_forge_is_asked_to_come_back_to_a_name_of_ours(house: House, public: House):
    for opened, base, expected in (
        (house, "http://127.0.0.1:8000", "http://127.0.0.1:8000/auth/callback"),
        (house, "http://localhost:8000", "http://localhost:8000/auth/callback"),
        (public, "https://yudai.example", "https://yudai.example/auth/callback"),
    ):
        async with client_of(opened.app, base_url=base) as client:
            url = (await client.get("/auth/login")).headers["location"]
        assert parse_qs(urlsplit(url).query)["redirect_uri"] == [expected]


HOSTILE = [
    "https://evil.example",
    "//evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "https:evil.example",
    "javascript:alert(1)",
    "/%0d%0aSet-Cookie:x".replace("%0d%0a", "\r\n"),
    f"{FRONTEND}.evil.example/",
    f"{FRONTEND}@evil.example/",
    f"{FRONTEND}//evil.example",
    "",
    "relative",
    "/\t/evil.example",
    "/é",
]


@pytest.mark.parametrize("target", HOSTILE)
def test_a_login_never_leads_to_another_site(tmp_path: Path, target: str):
    plain = Settings.at(tmp_path)
    assert return_target(target, plain) == "/"
    there = Settings.model_validate({"YUDAI_HOME": tmp_path, "FRONTEND_URL": FRONTEND})
    assert return_target(target, there) == f"{FRONTEND}/"


def test_a_login_leads_back_to_the_page(tmp_path: Path):
    there = Settings.model_validate({"YUDAI_HOME": tmp_path, "FRONTEND_URL": f"{FRONTEND}/"})
    assert return_target("/solves/1?a=b#c", there) == f"{FRONTEND}/solves/1?a=b#c"
    assert return_target(f"{FRONTEND}/solves", there) == f"{FRONTEND}/solves"
    assert return_target(FRONTEND, there) == f"{FRONTEND}/"
    assert return_target("/solves/1", Settings.at(tmp_path)) == "/solves/1"


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": f"{FRONTEND}.evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
    ],
)
async def test_another_site_changes_nothing_with_a_persons_cookie(
    house: House, headers: dict[str, str]
):
    await fill(house)
    async with house.client(**await house.cookie("wim"), **headers) as client:
        for method, path in (
            ("POST", f"/api/solves/{SOLVE}/cancel"),
            ("POST", "/api/logout"),
            ("POST", "/api/keys"),
            ("DELETE", "/api/logins"),
        ):
            answer = await client.request(method, path)
            assert answer.json()["code"] == Code.CROSS_ORIGIN, path


async def test_a_form_of_another_site_is_no_request(house: House):
    async with house.client(**await house.cookie("ada")) as client:
        answer = await client.post("/api/keys", data={"name": "x"})
    assert answer.json()["code"] == Code.UNSUPPORTED_MEDIA_TYPE


async def test_who_sends_a_key_is_known_by_nothing_else(house: House):
    cookie, key = await house.cookie("ada"), await house.key("rita", "read")
    async with house.client(**cookie, **key) as client:
        assert (await client.get("/api/me")).json()["login"] == "rita"
        assert (await client.get("/api/settings")).status_code == 403
    for bad in ("Bearer ydk_0_0", "Bearer", "Basic YWRhOmFkYQ==", "", "bearer  "):
        async with house.client(**cookie, Authorization=bad) as client:
            answer = await client.get("/api/solves")
            assert answer.json()["code"] == Code.UNAUTHENTICATED, bad
            assert answer.headers["www-authenticate"].startswith("Bearer")
            assert (await client.get("/api/me")).status_code == 401
    # No cookie is read, so that no other site can borrow one.
    elsewhere = {"Origin": "https://tool.example", "Sec-Fetch-Site": "cross-site"}
    async with house.client(**cookie, **key, **elsewhere) as client:
        answer = await client.post("/api/demo")
        assert answer.json()["code"] == Code.FORBIDDEN
    async with house.client(**cookie, **elsewhere, Authorization="Bearer x") as client:
        assert (await client.post("/api/demo")).json()["code"] == Code.UNAUTHENTICATED


async def test_in_local_mode_a_key_is_no_way_around_the_guard(client: httpx.AsyncClient):
    headers = {"Origin": "https://evil.example", "Authorization": "Bearer x"}
    answer = await client.post("/api/demo", headers=headers)
    assert answer.json()["code"] == Code.CROSS_ORIGIN


async def test_a_key_ends_itself(house: House):
    async with house.client(**await house.key("ada", "read", "run", "publish")) as client:
        assert (await client.post("/api/logout")).status_code == 204
        assert (await client.get("/api/solves")).status_code == 401


async def test_keys_over_http(house: House):
    async with house.client(**await house.cookie("ada")) as client:
        made = await client.post("/api/keys", json={"name": "CI", "scopes": ["run"], "days": 1})
        assert made.status_code == 201
        key = made.json()["key"]
        [listed] = (await client.get("/api/keys")).json()["keys"]
        assert listed == made.json()["about"]
        assert key not in (await client.get("/api/keys")).text
        for bad in ({"scopes": []}, {"scopes": ["root"]}, {"days": 0}, {"name": " "}):
            answer = await client.post("/api/keys", json={"name": "CI", **bad})
            assert answer.status_code == 422, bad
    async with house.client(Authorization=f"Bearer {key}") as program:
        assert (await program.get("/api/solves")).json()["code"] == Code.FORBIDDEN
        answer = await program.post("/api/keys", json={"name": "more", "scopes": ["publish"]})
        assert answer.json()["code"] == Code.FORBIDDEN
    async with house.client(**await house.cookie("ada")) as client:
        assert (await client.delete(f"/api/keys/{listed['id']}")).status_code == 204
    async with house.client(Authorization=f"Bearer {key}") as program:
        assert (await program.get("/api/solves")).status_code == 401


async def test_a_terminal_logs_in(house: House):
    async with client_of(house.app) as client:
        begun = (await client.post("/api/login/device")).json()
        body = {"ticket": begun["ticket"], "name": "laptop"}
        first = (await client.post("/api/login/device/poll", json=body)).json()
        assert (first["done"], first["wait_s"], first["key"]) == (False, 5, None)
        house.crowd.provider.answer_device("ada")
        house.crowd.clock.time += 5
        done = (await client.post("/api/login/device/poll", json=body)).json()
        assert (done["done"], done["login"]) == (True, "ada")
        again = await client.post("/api/login/device/poll", json=body)
        assert again.json()["code"] == Code.REFUSED
    async with house.client(Authorization=f"Bearer {done['key']}") as client:
        assert (await client.get("/api/me")).json()["login"] == "ada"


async def test_who_is_signed_out_at_the_forge_logs_in_again(house: House):
    await fill(house)
    cookie = await house.cookie("rita")
    house.crowd.forge._tokens.clear()
    async with house.client(**cookie) as client:
        answer = await client.get(f"/api/solves/{SOLVE}")
        assert answer.json()["code"] == Code.UNAUTHENTICATED
        assert (await client.get("/api/me")).json()["needs_login"] is True


async def test_a_forge_that_is_away_is_reported(house: House):
    await fill(house)
    cookie = await house.cookie("rita")
    house.crowd.forge.faults.before("repository")
    async with house.client(**cookie) as client:
        answer = await client.get(f"/api/solves/{SOLVE}")
        assert answer.json()["code"] == Code.FORGE_UNAVAILABLE
        assert answer.headers["retry-after"]
        assert (await client.get(f"/api/solves/{SOLVE}")).status_code == 200


async def test_a_private_solve_is_reported_as_one_that_is_not_there(house: House):
    await fill(house)
    other = SOLVE[:-1] + "f"
    async with house.client(**await house.cookie("eve")) as client:
        for path in ("", "/updates"):
            known = (await client.get(f"/api/solves/{SOLVE}{path}")).json()
            unknown = (await client.get(f"/api/solves/{other}{path}")).json()
            del known["request_id"], unknown["request_id"]
            assert str(known).replace(SOLVE, "ID") == str(unknown).replace(other, "ID")
        assert (await client.get("/api/solves")).json()["solves"] == []
    async with house.client(**await house.cookie("rita")) as client:
        listed = (await client.get("/api/solves")).json()["solves"]
    assert [one["id"] for one in listed] == [SOLVE]


async def test_publishing_by_itself_needs_the_right_to(house: House):
    from yudai.forge.domain.repository import Role

    await fill(house)
    repo = house.crowd.forge.add_repository("ada/more", roles={"wim": Role.TRIAGE})
    ask = {"repo_url": repo.url, "issue_text": "x", "matrix": {"models": ["vendor/fast"]}}
    async with house.client(**await house.cookie("wim")) as client:
        auto = await client.post("/api/solves", json=ask | {"publish": "auto"})
        assert auto.json()["code"] == Code.FORBIDDEN
        other = await client.post("/api/solves", json=ask | {"publish": "never"})
        assert other.json().get("code") != Code.FORBIDDEN
    async with house.client(**await house.key("wim", "run")) as program:
        for more in ({}, {"publish": "auto"}):
            answer = await program.post("/api/solves", json=ask | {"repo_url": REPO} | more)
            assert "publish" in answer.json()["detail"]
            assert answer.status_code == 403


async def test_folders_are_the_administrators(house: House):
    await fill(house)
    ask = {"repo_path": "/etc", "issue_text": "x", "matrix": {"models": ["vendor/fast"]}}
    for login, is_admin in (("wim", False), ("ada", True)):
        async with house.client(**await house.cookie(login)) as client:
            for path, body in (
                ("/api/solves", ask),
                ("/api/forecasts", ask),
                ("/api/solves", {**ask, "repo_path": "", "repo_url": "file:///etc"}),
                ("/api/conversations", {"repo_path": "/etc"}),
            ):
                answer = await client.post(path, json=body)
                assert (answer.status_code != 403) is is_admin, (login, path, answer.text)


async def test_a_command_starts_nothing_where_its_person_may_not(house: House):
    await fill(house)
    async with house.client(**await house.cookie("eve")) as client:
        talk = (await client.post("/api/conversations", json={"title": "mine"})).json()["id"]
        path = f"/api/conversations/{talk}"
        said = await client.post(f"{path}/messages", json={"text": f"/solve {REPO}/issues/1"})
        assert said.status_code == 404
        asked = await client.post(f"{path}/issues/1/solve", json={"repo_url": REPO})
        assert asked.status_code == 404
        assert (await client.post("/api/conversations", json={"repo_url": REPO})).status_code == 404
        taken = await client.post("/api/conversations", json={"solve_id": SOLVE})
        assert taken.status_code == 404


async def test_too_much_is_too_much_for_one_user_and_not_for_another(tmp_path: Path):
    async with open_house(tmp_path, REQUESTS_PER_MINUTE=5) as house:
        ada, eve = await house.cookie("ada"), await house.cookie("eve")
        async with house.client(**ada) as client:
            answers = [await client.get("/api/repos") for _ in range(6)]
        assert [answer.status_code for answer in answers] == [200] * 5 + [429]
        assert answers[-1].json()["code"] == Code.TOO_MANY_REQUESTS
        assert 1 <= int(answers[-1].headers["retry-after"]) <= 60
        async with house.client(**eve) as client:
            assert (await client.get("/api/repos")).status_code == 200
        async with client_of(house.app) as nobody:
            answers = [await nobody.get("/api/repos") for _ in range(6)]
            assert [answer.status_code for answer in answers] == [401] * 5 + [429]
            assert (await nobody.get("/api/health/live")).status_code == 200


async def test_logging_in_is_limited_more_strictly(house: House):
    async with client_of(house.app) as client:
        begun = [(await client.post("/api/login/device")).status_code for _ in range(11)]
        assert begun == [200] * 10 + [429]
        logins = [(await client.get("/auth/callback")).status_code for _ in range(31)]
        assert logins == [303] * 30 + [429]


PROXIES = "10.0.0.0/8,127.0.0.1,fd00::/8"


@pytest.mark.parametrize(
    ("peer", "forwarded", "address"),
    [
        ("127.0.0.1", "203.0.113.7", "203.0.113.7"),
        ("::ffff:127.0.0.1", "203.0.113.7", "203.0.113.7"),
        # Whatever a client writes there is left of what the proxy adds.
        ("127.0.0.1", "198.51.100.1, 203.0.113.7", "203.0.113.7"),
        ("127.0.0.1", "198.51.100.1, 203.0.113.7,10.1.2.3", "203.0.113.7"),
        ("127.0.0.1", "10.9.9.9, 10.1.2.3", "10.9.9.9"),
        ("127.0.0.1", "203.0.113.7:4711", "203.0.113.7"),
        ("fd00::1", "[2001:db8:1:2:3::4]:443", "2001:db8:1:2::/64"),
        ("127.0.0.1", "203.0.113.7, evil", "127.0.0.1"),
        ("127.0.0.1", "203.0.113.7, evil, 10.1.2.3", "10.1.2.3"),
        ("127.0.0.1", "", "127.0.0.1"),
        ("198.51.100.9", "203.0.113.7", "198.51.100.9"),
        ("198.51.100.9", "127.0.0.1", "198.51.100.9"),
    ],
)
def test_an_address_is_what_a_trusted_proxy_says(
    tmp_path: Path, peer: str, forwarded: str, address: str
):
    given = {"YUDAI_HOME": tmp_path, "TRUSTED_PROXIES": PROXIES}
    trusted = [ip_network(one) for one in Settings.model_validate(given).trusted_proxies]
    lines = [(b"x-forwarded-for", part.encode()) for part in forwarded.split(",10.")[:1]]
    lines += [(b"x-forwarded-for", f"10.{part}".encode()) for part in forwarded.split(",10.")[1:]]
    request = Request({"type": "http", "client": (peer, 1), "headers": lines})
    assert address_of(request, trusted) == address
    assert address_of(request) == peer.removeprefix("::ffff:").replace("fd00::1", "fd00::/64")


async def test_who_comes_by_a_trusted_proxy_is_counted_alone(tmp_path: Path):
    for trusted, last in (("127.0.0.1", 200), ("", 429)):
        async with open_house(tmp_path, TRUSTED_PROXIES=trusted) as house:
            for who, status in (("203.0.113.7", 429), ("203.0.113.8", last)):
                async with house.client(**{"X-Forwarded-For": who}) as client:
                    for _ in range(10 if status == 429 else 0):
                        await client.post("/api/login/device")
                    assert (await client.post("/api/login/device")).status_code == status


def test_a_proxy_is_an_address(tmp_path: Path):
    with pytest.raises(ValidationError, match=r"TRUSTED_PROXIES[\s\S]*addresses or networks"):
        Settings.model_validate({"YUDAI_HOME": tmp_path, "TRUSTED_PROXIES": "proxy.example"})


async def test_the_page_elsewhere_may_ask_with_its_login(public: House):
    secret = (await public.crowd.log_in("ada")).secret.get_secret_value()
    async with client_of(public.app, base_url="https://yudai.example") as client:
        asked = {"Access-Control-Request-Method": "POST", "Origin": FRONTEND}
        asked["Access-Control-Request-Headers"] = "content-type,idempotency-key"
        flight = await client.options("/api/solves", headers=asked)
        assert flight.status_code == 200
        assert flight.headers["access-control-allow-origin"] == FRONTEND
        assert flight.headers["access-control-allow-credentials"] == "true"
        cookie = {"Cookie": f"__Host-yudai={secret}", "Origin": FRONTEND}
        answer = await client.post("/api/logout", headers=cookie | {"Sec-Fetch-Site": "same-site"})
        assert answer.status_code == 204
        assert answer.headers["access-control-allow-origin"] == FRONTEND


@pytest.mark.parametrize("origin", ["https://evil.example", "null", f"{FRONTEND}.evil.example"])
async def test_no_other_page_may(public: House, origin: str):
    async with client_of(public.app, base_url="https://yudai.example") as client:
        asked = {"Access-Control-Request-Method": "POST", "Origin": origin}
        flight = await client.options("/api/solves", headers=asked)
        assert flight.status_code >= 400
        assert "access-control-allow-origin" not in flight.headers
        read = await client.get("/api/me", headers={"Origin": origin})
        assert "access-control-allow-origin" not in read.headers


async def test_https_is_remembered_where_there_is_any(house: House, public: House, app: FastAPI):
    async with client_of(public.app, base_url="https://yudai.example") as client:
        answer = await client.get("/api/me")
    assert answer.headers["strict-transport-security"] == "max-age=31536000"
    for one in (house.app, app):
        async with client_of(one) as client:
            assert "strict-transport-security" not in (await client.get("/api/me")).headers


async def test_only_names_of_ours_are_answered(public: House):
    async with client_of(public.app, base_url="https://evil.example") as client:
        answer = await client.get("/auth/login")
    assert answer.json()["code"] == Code.MISDIRECTED_HOST


async def test_the_local_place_is_as_it_was(place: Place):
    assert place.settings.auth_mode == "local"
