"""A trajectory of 2,000 messages is read without the browser noticing how long it is."""

import re
from collections.abc import AsyncGenerator
from typing import NamedTuple

import pytest
import pytest_asyncio
from playwright.async_api import Browser, expect

from tests.e2e.support import long_run
from tests.e2e.support.browser import PATIENCE_MS, Tab, chromium, tab
from tests.e2e.support.service import installed

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.xdist_group("page-long"),
    pytest.mark.timeout(240),
]
expect.set_options(timeout=PATIENCE_MS)
MAX_NODES = 600
LIST = "[data-testid=messages]"


class Ground(NamedTuple):
    browser: Browser
    url: str
    path: str


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def ground(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Ground]:
    root = tmp_path_factory.mktemp("page-long")
    with installed(root / "house") as house:
        file = long_run.write(root / "long.traj.json")
        imported = house.arena("import", str(file), "--json")
        assert imported.returncode == 0, imported.stderr
        server = house.serve()
        solve_id = server.get("/api/solves")["solves"][0]["id"]
        [run] = house.books.runs(solve_id)
        assert run.message_count == long_run.MESSAGES
        async with chromium() as browser:
            yield Ground(browser, server.said["url"], f"/solves/{solve_id}/runs/{run.id}")


async def nodes(person: Tab) -> int:
    return await person.page.locator(f"{LIST} *").count()


async def test_only_what_is_seen_is_there(ground: Ground):
    async with tab(ground.browser, ground.url) as person:
        page = person.page
        await person.go(ground.path)
        last = page.locator(f"{LIST} article[data-seq='{long_run.MESSAGES - 1}']")
        await expect(last).to_be_visible()
        asked = [request.url for request in person.requests if "/messages" in request.url]
        assert len(asked) <= 1, "tail first: the rest is for who scrolls up"
        assert await nodes(person) <= MAX_NODES

        await page.keyboard.press("0")
        await expect(page.locator(f"{LIST} article[data-seq='0']")).to_be_visible()
        assert await nodes(person) <= MAX_NODES
        box = page.locator(LIST)
        for _ in range(20):
            await box.evaluate("list => list.scrollBy(0, list.clientHeight * 3)")
            assert await nodes(person) <= MAX_NODES
        await page.keyboard.press("$")
        await expect(last).to_be_visible()
        await person.shot("trajectory-long")
        # An imported run has no diffs of its edits, which the server says with a 404.
        await person.assert_calm(but="404")


async def test_a_link_leads_to_its_message(ground: Ground):
    async with tab(ground.browser, ground.url) as person:
        await person.go(f"{ground.path}?m=57")
        chosen = person.page.locator(f"{LIST} article[data-seq='57']")
        await expect(chosen).to_be_visible()
        await expect(chosen).to_have_attribute("aria-current", "true")
        assert await nodes(person) <= MAX_NODES


async def test_messages_by_kind(ground: Ground):
    async with tab(ground.browser, ground.url) as person:
        page = person.page
        await person.go(ground.path)
        await expect(page.locator(f"{LIST} article").first).to_be_visible()
        await page.get_by_role("button", name="error").first.click()
        await expect(page).to_have_url(re.compile("kind=error"))
        codes = page.locator(f"{LIST}").get_by_text("exit 1")
        await expect(codes.first).to_be_visible()
        await expect(page.locator(LIST).get_by_text("exit 0")).to_have_count(0)
