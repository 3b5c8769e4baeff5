"""Agents, issues, models and people write what they like: it stays text."""

import json
from collections.abc import AsyncGenerator
from typing import NamedTuple

import pytest
import pytest_asyncio
from playwright.async_api import Browser, expect

from tests.e2e.support import small
from tests.e2e.support.browser import PATIENCE_MS, chromium, tab
from tests.e2e.support.service import installed, rested
from tests.e2e.support.ten_repositories import commit, write

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.xdist_group("page-hostile"),
    pytest.mark.timeout(240),
]
expect.set_options(timeout=PATIENCE_MS)
ELSEWHERE = "https://evil.example"
PAYLOADS = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    f"<img src={ELSEWHERE}/pixel.png>",
    f"![pixel]({ELSEWHERE}/pixel.png)",
    f'![x]({ELSEWHERE}/a.png "title")',
    "[click](javascript:alert(1))",
    "[click](JaVaScRiPt:alert(1))",
    "[click](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
    "[click](vbscript:msgbox(1))",
    "<a href=javascript:alert(1)>x</a>",
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    f"<iframe src={ELSEWHERE}></iframe>",
    "<iframe srcdoc='<script>parent.alert(1)</script>'></iframe>",
    f"<object data={ELSEWHERE}/x></object>",
    f"<embed src={ELSEWHERE}/x>",
    f"<link rel=stylesheet href={ELSEWHERE}/x.css>",
    f"<style>@import '{ELSEWHERE}/x.css';</style>",
    "<body onload=alert(1)>",
    "<details open ontoggle=alert(1)>x</details>",
    "<video><source onerror=alert(1)></video>",
    "<math><mtext><script>alert(1)</script></mtext></math>",
    "<input autofocus onfocus=alert(1)>",
    f"<form action={ELSEWHERE}><button>go</button></form>",
    f"<meta http-equiv=refresh content='0;url={ELSEWHERE}'>",
    f"<base href={ELSEWHERE}/>",
    "{{constructor.constructor('alert(1)')()}}",
    "${alert(1)}",
    '"><script>alert(1)</script>',
    "'-alert(1)-'",
    "\u202egpj.exe\u202c",
    "a\u200bb\u2066c",
    "\x1b]8;;javascript:alert(1)\x1b\\link\x1b]8;;\x1b\\",
    "\x1b[31m<b onmouseover=alert(1)>red</b>\x1b[0m",
)
FORBIDDEN = (
    "img:not([src^='/'])", "iframe", "object", "embed", "base", "form[action^=http]",
    "meta[http-equiv]", "[onerror]", "[onload]", "[onclick]", "[onfocus]", "[ontoggle]",
    "[onmouseover]",
)  # fmt: skip
ALL = "\n\n".join(PAYLOADS)


class Ground(NamedTuple):
    browser: Browser
    url: str
    paths: dict[str, str]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def ground(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Ground]:
    """All of it in the issue, in what a model says, in files and their names, in a conversation."""
    root = tmp_path_factory.mktemp("page-hostile")
    folder = root / "folder"
    write(folder, {**small.FILES, "payloads.txt": ALL})
    commit(folder, "Begin")
    name = "<img src=x onerror=alert(1)>.py"
    print_all = f"python3 -c {_quoted(f'print({json.dumps(ALL)})')}"
    with installed(root / "house") as house:
        server = house.serve()
        model = house.arena.script(
            "hostile",
            {"say": f"{small.PLAN}\n{ALL}", "run": [small.TEST, small.FIX, print_all]},
            {"say": ALL, "run": [f"cp payloads.txt {_quoted(name)}"]},
            small.FINISH,
        )
        ask = {
            "repo_path": str(folder),
            "issue_title": PAYLOADS[0] + PAYLOADS[1] + "\u202e",
            "issue_text": ALL,
            "matrix": {"models": [model]},
        }
        solve_id = server.post("/api/solves", ask)["id"]
        rested(house.books, solve_id)
        [run] = house.books.runs(solve_id)
        talk = server.post("/api/conversations", {"title": PAYLOADS[1], "solve_id": solve_id})["id"]
        server.post(f"/api/conversations/{talk}/messages", {"text": ALL})
        here = f"/solves/{solve_id}"
        paths = {
            "solves": "/",
            "solve": f"{here}?open={run.id}",
            "issue": f"{here}?view=issue",
            "diff": f"{here}?view=diff",
            "verification": f"{here}?view=verification",
            "trajectory": f"{here}/runs/{run.id}",
            "conversation": f"/conversations/{talk}",
            "conversations": "/conversations",
        }
        async with chromium() as browser:
            yield Ground(browser, server.said["url"], paths)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\"'\"'") + "'"


PLACES = (
    "solves", "solve", "issue", "diff", "verification", "trajectory",
    "conversation", "conversations",
)  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.real_on("solves", "verification", "conversations")
async def test_it_stays_text(ground: Ground, place: str):
    async with tab(ground.browser, ground.url) as person:
        page = person.page
        await person.go(ground.paths[place])
        await page.wait_for_load_state("networkidle")
        await expect(page.locator("[role=status][aria-label^=Loading]")).to_have_count(0)
        # Whatever waits for a hand gets one.
        for link in await page.get_by_text("click", exact=True).all():
            if await link.is_visible():
                await link.hover()
        await page.wait_for_timeout(300)
        await person.shot(f"hostile-{place}")
        hrefs = await page.eval_on_selector_all("a[href]", "all => all.map(a => a.href)")
        assert [h for h in hrefs if h.split(":")[0] not in ("http", "https", "mailto")] == []
        for forbidden in FORBIDDEN:
            assert await page.locator(forbidden).count() == 0, forbidden
        await person.assert_calm()


async def test_what_cannot_be_seen_is_shown(ground: Ground):
    async with tab(ground.browser, ground.url) as person:
        await person.go(ground.paths["trajectory"])
        await expect(person.page.get_by_text("U+202E").first).to_be_visible()
        await person.go(ground.paths["issue"])
        await expect(person.page.get_by_text("U+202E").first).to_be_visible()
        await expect(person.page.get_by_text("<script>alert(1)</script>").first).to_be_visible()
