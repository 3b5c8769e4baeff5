"""Every view in both themes: no violation that axe knows of, nothing wider than the screen."""

from collections.abc import AsyncGenerator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, TimeoutError, expect

from tests.e2e.support import small
from tests.e2e.support.browser import PATIENCE_MS, Tab, chromium, tab
from tests.e2e.support.service import Installation, installed, rested

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.xdist_group("page-views"),
    pytest.mark.timeout(240),
]
expect.set_options(timeout=PATIENCE_MS)
AXE = Path(__file__).parents[3] / "web" / "node_modules" / "axe-core" / "axe.min.js"
WIDTH = """() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(
    () => done(document.documentElement.scrollWidth))))"""
# All that axe has looked at is ten times as long, and takes as long to be told as to be found.
VIOLATIONS = "axe.run({resultTypes: ['violations']}).then(found => found.violations)"
WRONG = "echo 'x = 1' >> doubling.py"
VIEWS = {
    "solves": "/",
    "solves-none": "/?state=cancelled",
    "new": "/new",
    "solve": "/solves/{solve}",
    "solve-open": "/solves/{solve}?open={right},{wrong}",
    "solve-diff": "/solves/{solve}?view=diff",
    "solve-verification": "/solves/{solve}?view=verification",
    "solve-issue": "/solves/{solve}?view=issue",
    "solve-talk": "/solves/{solve}?talk=1",
    "trajectory": "/solves/{solve}/runs/{right}",
    "trajectory-failed": "/solves/{solve}/runs/{stuck}",
    "compare": "/solves/{solve}/compare?a={right}&b={wrong}",
    "cost": "/cost",
    "sandboxes": "/sandboxes",
    "settings": "/settings",
    "conversations": "/conversations",
    "conversation": "/conversations/{conversation}",
    "nowhere": "/no/such/page",
    "unknown-solve": "/solves/0190a000-0000-7000-8000-00000000ffff",
}


class Ground(NamedTuple):
    browser: Browser
    url: str
    ids: dict[str, str]

    def path(self, view: str) -> str:
        return VIEWS[view].format(**self.ids)


def played(house: Installation, folder: Path) -> dict[str, str]:
    """A solve with one that is right, one that is wrong and one that never ends."""
    arena = house.arena
    models = [
        small.right(arena, also="printf '\\033[31mred\\033[0m\\n'; python -m unittest"),
        arena.script("wrong", {"say": small.PLAN, "run": [WRONG]}, small.FINISH),
        arena.script("stuck", {"say": small.PLAN, "run": ["false"]}, repeat_last=True),
    ]
    ask = {
        "repo_path": str(folder),
        "issue_text": small.ISSUE,
        "matrix": {"models": models},
        "limits": {"max_steps": 4},
    }
    solve_id = house.server.post("/api/solves", ask)["id"]
    rested(house.books, solve_id)
    runs = {run.handle.partition("-")[0]: run.id for run in house.books.runs(solve_id)}
    talk = house.server.post("/api/conversations", {"solve_id": solve_id})["id"]
    house.server.post(f"/api/conversations/{talk}/messages", {"text": "Why **this** one?"})
    return {"solve": solve_id, "conversation": talk, **runs}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def ground(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Ground]:
    root = tmp_path_factory.mktemp("page-views")
    with installed(root / "house") as house:
        server = house.serve()
        ids = played(house, small.make(root / "folder"))
        async with chromium() as browser:
            yield Ground(browser, server.said["url"], ids)


async def settled(person: Tab) -> None:
    """Until what was asked for is there and nothing moves any more."""
    await person.page.wait_for_load_state("networkidle")
    await expect(person.page.locator("[role=status][aria-label^=Loading]")).to_have_count(0)
    await expect(person.page.get_by_role("heading", level=1)).to_have_count(1)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.real_on(
    "solves-none",
    "settings",
    "solve",
    "solve-verification",
    "solve-diff",
    "solve-issue",
    "solve-talk",
    "trajectory-failed",
    "conversations",
    "conversation",
    "cost",
    "sandboxes",
    "nowhere",
    "unknown-solve",
)
async def test_nothing_is_wider_than_the_screen_and_axe_finds_nothing(ground: Ground, view: str):
    """One load for both: what is seen does not depend on the width that it was loaded with."""
    async with tab(ground.browser, ground.url, viewport={"width": 390, "height": 844}) as person:
        await person.go(ground.path(view))
        await settled(person)
        await person.shot(f"{view}-390")
        for width in (390, 768, 1280, 3840):
            await person.page.set_viewport_size({"width": width, "height": 900})
            # Measured in a frame that has the new size.
            assert await person.page.evaluate(WIDTH) <= width
        if view != "unknown-solve":
            await person.assert_calm()
        await check_by_axe(person, view)


async def check_by_axe(person: Tab, view: str) -> None:
    page = person.page
    await page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    await page.set_viewport_size({"width": 1440, "height": 1000})
    await page.evaluate(WIDTH)
    await settled(person)
    await page.evaluate(AXE.read_text())
    for theme in ("dark", "light"):
        await page.evaluate("theme => document.documentElement.dataset.theme = theme", theme)
        await person.shot(f"{view}-{theme}")
        told = [
            f"{theme}: {one['id']}: {one['help']} {[n['html'][:200] for n in one['nodes'][:3]]}"
            for one in await page.evaluate(VIOLATIONS)
        ]
        assert told == []


async def test_the_theme_is_dark_unless_a_person_chose(ground: Ground):
    async with tab(ground.browser, ground.url, color_scheme="light") as person:
        await person.go("/settings")
        theme = "document.documentElement.dataset.theme"
        assert await person.page.evaluate(theme) == "dark"
        for choice, shown in (("Light", "light"), ("Dark (", "dark"), ("System", "light")):
            await person.page.get_by_label(choice).check()
            await person.page.reload()
            assert await person.page.evaluate(theme) == shown
        await person.assert_calm()


async def _press_in_sequence(page: Page, keys: str, url: str) -> None:
    """Again, as a person would, where this machine took longer between two than the page waits."""
    for _ in range(10):
        await page.keyboard.type(keys)
        with suppress(TimeoutError):
            await page.wait_for_url(url, timeout=5000)
            return
    pytest.fail(f"{keys} did not lead to {url}")


async def test_the_keys_and_the_palette(ground: Ground):
    async with tab(ground.browser, ground.url) as person:
        page = person.page
        await person.go("/")
        await expect(page.get_by_role("table")).to_be_visible()
        await page.keyboard.press("?")
        await expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("dialog")).to_have_count(0)
        await _press_in_sequence(page, "gc", "**/cost")
        await person.go("/")
        await expect(page.get_by_role("table")).to_be_visible()
        await page.keyboard.press("j")
        await page.get_by_role("link", name="Cost").focus()
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/cost")
        await person.go("/")
        await expect(page.get_by_role("table")).to_be_visible()
        await page.keyboard.press("j")
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/solves/*")
        await page.keyboard.press("Control+k")
        await page.keyboard.type("double(0)")
        found = page.get_by_role("listbox", name="Results").get_by_role("option")
        await expect(found).to_have_count(1)
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/solves/*")
        await person.go("/settings")
        await page.get_by_label("Single-key shortcuts").uncheck()
        await page.keyboard.press("n")
        await page.wait_for_timeout(200)
        assert page.url.endswith("/settings")
        await person.assert_calm()
