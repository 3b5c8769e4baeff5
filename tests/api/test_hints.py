"""Refusals over HTTP speak of fields and routes, not of the command line."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

import yudai
from tests.api.test_http import UNKNOWN, problem
from tests.support.forge.repositories import Repository
from yudai.api.errors import Code
from yudai.kit import hints
from yudai.kit.errors import RefusedError
from yudai.kit.hints import Hint

SOURCE = Path(yudai.__file__).parent
PRICE = '{"input_usd": IN, "output_usd": OUT}'
COMMAND_LINE = re.compile(r"(?<![\w-])--[a-z]|yudai [a-z]+")
# What only the command line, a worker or a start-up says; and `git`, whose options these are.
ELSEWHERE = (
    *("there are no solves yet", "there is no solve{} to apply"),
    *("is bundled and unchanged", "git refs migrate", "createdb"),
)


def ask(folder: Path | str, **more: Any) -> dict[str, Any]:
    prices = {"vendor/some": {"input_usd": 1, "output_usd": 2}}
    matrix = {"models": ["vendor/some"]}
    named = {"repo_path": str(folder), "issue_text": "It is wrong", "prices": prices}
    return {"matrix": matrix, **named, **more}


async def refused(client: httpx.AsyncClient, body: dict[str, Any]) -> dict[str, Any]:
    return problem(await client.post("/api/solves", json=body), Code.REFUSED)


async def test_a_price_is_asked_for_as_a_field(client: httpx.AsyncClient, repository: Repository):
    body = ask(repository.root, prices={})
    told = await refused(client, body)
    assert told["detail"] == (
        'no price is known for vendor/some: give "prices": {"vendor/some": '
        f"{PRICE}}} in dollars per million tokens, or keep it with `PUT /api/models/vendor/some`"
    )
    assert "--price vendor/some=IN,OUT" in told["command_line"]
    told = await refused(client, body | {"matrix": {"models": ["zzz"]}})
    assert "`GET /api/models` lists those that are known" in told["detail"]
    told = await refused(client, ask(repository.root, matrix={"models": ["gpt-4.1"]}))
    assert told["detail"].startswith("`prices` names vendor/some, but")


async def test_a_dirty_folder_is_a_field(client: httpx.AsyncClient, repository: Repository):
    (repository.root / "calc.py").write_text("changed")
    told = await refused(client, ask(repository.root))
    assert told["detail"].endswith('commit or stash them, or send "dirty": true')
    assert told["command_line"].endswith("or use --dirty")


async def test_models_are_found_and_priced_by_route_and_field(client: httpx.AsyncClient):
    told = problem(await client.put("/api/models/some", json={}), Code.NOT_FOUND)
    assert f'give "price": {PRICE} in dollars per million tokens' in told["detail"]
    told = problem(await client.delete("/api/models/some"), Code.NOT_FOUND)
    assert told["detail"] == (
        "there is no model some: `GET /api/models` lists those that are known"
    )


async def test_what_says_the_same_to_both_is_reported_once(client: httpx.AsyncClient):
    told = await refused(client, ask("/nowhere/at/all"))
    assert "command_line" not in told
    told = problem(await client.get(f"/api/runs/{UNKNOWN}"), Code.NOT_FOUND)
    assert not COMMAND_LINE.search(told["detail"])


@pytest.mark.parametrize(
    ("message", "typed", "sent"),
    [
        (
            ("give ", hints.price_of("a b", is_free=True), " if"),
            "give --price a b=0,0 if",
            'give "prices": {"a b": {"input_usd": 0, "output_usd": 0}} if',
        ),
        (
            (hints.DIRTY, " takes it, not upon ", hints.BASE),
            "--dirty takes it, not upon --base",
            "`dirty` takes it, not upon `base_branch`",
        ),
        (
            ("set ", hints.BASE_URL, " to one"),
            "set OPENAI_BASE_URL (or --base-url) to one",
            "set OPENAI_BASE_URL to one",
        ),
        (
            ("no branch x--base or --baseline",),
            "no branch x--base or --baseline",
            "no branch x--base or --baseline",
        ),
    ],
)
def test_each_edge_renders_hints_and_nothing_else(
    message: tuple[str | Hint, ...], typed: str, sent: str
):
    error = RefusedError(*message)
    assert (str(error), error.over_http()) == (typed, sent)


def messages() -> Iterator[str]:
    """Of every error that is made where a request can come to."""
    edges = ("api", "bench", "cli", "dev", "demo", "sandboxes", "wiring")
    for folder in sorted(set(SOURCE.iterdir()) - {SOURCE / edge for edge in edges}):
        for file in sorted(folder.rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("Error"):
                    yield "".join(map(_text, node.args))


def _text(node: ast.expr) -> str:
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    told = [part.value if isinstance(part, ast.Constant) else "{}" for part in parts]
    return "".join(map(str, told))


def test_no_refusal_is_without_words_for_http():
    found = list(messages())
    assert any("no price is known for" in message for message in found)
    told = [m for m in found if not any(words in m for words in ELSEWHERE)]
    told += [hint.http for hint in vars(hints).values() if isinstance(hint, Hint)]
    told += [hints.price_of("m").http, hints.keep_price("m").http]
    assert [message for message in told if COMMAND_LINE.search(message)] == []
