"""A person's way through the page: start a solve, watch it, compare, choose, apply."""

import asyncio
from collections.abc import AsyncGenerator, Generator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Route, expect

from tests.e2e.support import small
from tests.e2e.support.browser import PATIENCE_MS, Tab, chromium, tab
from tests.e2e.support.service import Installation, installed, rested, until

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.xdist_group("page"),
    pytest.mark.timeout(240),
]
expect.set_options(timeout=PATIENCE_MS)
# Where a solve is only waited for: each frame of what moves is drawn without a graphics card.
CALM = {"reduced_motion": "reduce"}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncGenerator[Browser]:
    async with chromium() as opened:
        yield opened


@pytest.fixture
def house(tmp_path: Path) -> Generator[Installation]:
    with installed(tmp_path / "house") as house:
        house.serve()
        yield house


def contestants(house: Installation) -> tuple[str, str]:
    """Two that are right, one of them with more lines; both slow enough to be watched."""
    slow = {"delay_s": 1.5}
    brief = house.arena.script(
        "brief",
        {"say": small.PLAN, "run": [small.TEST], **slow},
        {"say": "Now the fix.", "run": [small.FIX, "python -m unittest"], **slow},
        {**small.FINISH, **slow},
    )
    wordy = house.arena.script(
        "wordy",
        {"say": small.PLAN, "run": [small.TEST, small.FIX], **slow},
        {"say": "A name for it.", "run": ["echo 'DOUBLE = double' >> doubling.py"], **slow},
        {**small.FINISH, **slow},
    )
    return brief, wordy


async def fill(person: Tab, folder: Path, models: tuple[str, ...]) -> None:
    page = person.page
    await person.go("/new?strategy=balanced")
    chosen = page.get_by_role("list", name="Chosen models").get_by_role("button")
    await expect(chosen).not_to_have_count(0)
    while await chosen.count():
        await chosen.first.click()
    await page.get_by_label("Repository or folder").fill(str(folder))
    title, _, body = small.ISSUE.partition("\n")
    await page.get_by_label("Title", exact=True).fill(title)
    await page.get_by_label("Description").fill(body)
    for model in models:
        finder = page.get_by_label("Find a model, or add one by name")
        await finder.fill(model)
        await finder.press("Enter")


async def test_from_an_issue_to_an_applied_patch(
    house: Installation, browser: Browser, tmp_path: Path
):
    folder = small.make(tmp_path / "folder")
    async with tab(browser, house.server.said["url"]) as person:
        page = person.page
        await fill(person, folder, contestants(house))
        start = page.get_by_role("button", name="Start 2 contestants")
        await expect(start).to_be_visible()
        await person.shot("new-filled")
        await start.click()

        await page.wait_for_url("**/solves/*")
        solve_id = page.url.rpartition("/")[2]
        await expect(page.get_by_role("heading", level=1)).to_contain_text("double(0) is 1")
        await page.get_by_text("running").first.wait_for()
        await page.keyboard.press("1")
        await page.keyboard.press("2")
        trajectories = page.get_by_test_id("trajectory")
        await expect(trajectories).to_have_count(2)
        await expect(trajectories.first.get_by_text("unittest").first).to_be_visible()
        await person.shot("solve-running")

        await page.reload()
        await expect(trajectories).to_have_count(2)
        await expect(page.get_by_role("button", name="Apply")).to_be_visible()
        champion = house.books.solve(solve_id).champion_run_id
        handles = {run.id: run.handle for run in house.books.runs(solve_id)}
        assert champion
        assert handles[champion].startswith("brief")
        await person.shot("solve-champion")

        await choose_other(person, solve_id)
        until(lambda: house.books.solve(solve_id).champion_run_id != champion, "another one")
        await apply(person, solve_id)
        await person.assert_calm()
    assert rested(house.books, solve_id) == "completed"
    assert "DOUBLE = double" in (folder / "doubling.py").read_text()
    assert house.books.events(solve_id, "champion.chosen")[0].data["reason"] == "it explains itself"


async def choose_other(person: Tab, solve_id: str) -> None:
    page = person.page
    await person.go(f"/solves/{solve_id}/compare")
    loser = page.get_by_role("region", name="Contestant B")
    await expect(loser).to_contain_text("wordy")
    await person.shot("compare")
    await loser.get_by_role("button", name="Choose").click()
    await page.get_by_label("Reason").fill("it explains itself")
    await page.get_by_role("dialog").get_by_role("button", name="Choose B").click()
    await expect(page.get_by_role("dialog")).to_have_count(0)


async def apply(person: Tab, solve_id: str) -> None:
    page = person.page
    await person.go(f"/solves/{solve_id}")
    await expect(page.get_by_text("chosen by a person").first).to_be_visible()
    await page.get_by_role("button", name="Apply").click()
    dialog = page.get_by_role("dialog")
    await expect(dialog).to_contain_text("doubling.py")
    await person.shot("apply")
    await dialog.get_by_role("button", name="Change the files").click()
    await expect(dialog).to_contain_text("The files were changed")
    await dialog.get_by_role("button", name="Done").click()


async def test_an_estimate_that_arrives_moves_no_button(
    house: Installation, browser: Browser, tmp_path: Path
):
    folder = small.make(tmp_path / "folder")
    async with tab(browser, house.server.said["url"]) as person:
        page, asked = person.page, asyncio.Event()

        async def wait(route: Route) -> None:
            await asked.wait()
            await route.continue_()

        await page.route("**/api/forecasts", wait)
        async with page.expect_request("**/api/forecasts"):
            await fill(person, folder, contestants(house))
        start = page.get_by_role("button", name="Start 2 contestants")
        await start.scroll_into_view_if_needed()
        before = await start.bounding_box()
        assert before is not None
        await page.mouse.move(before["x"] + 20, before["y"] + 20)
        await page.mouse.down()
        asked.set()
        await page.get_by_text("Contestants that start").wait_for()
        assert await start.bounding_box() == before
        # Not released there: nothing is to be started.
        await page.mouse.move(1, 1)
        await page.mouse.up()


async def test_errors_stand_next_to_their_field(
    house: Installation, browser: Browser, tmp_path: Path
):
    async with tab(browser, house.server.said["url"]) as person:
        page = person.page
        await fill(person, tmp_path / "nowhere", (small.right(house.arena),))
        await page.get_by_role("button", name="Start 1 contestant").click()
        repo = page.get_by_label("Repository or folder")
        await expect(repo).to_have_attribute("aria-invalid", "true")
        described = await repo.get_attribute("aria-describedby")
        assert described
        await expect(page.locator(f"[id='{described}']")).to_contain_text("nowhere")
        assert page.url.partition("?")[0].endswith("/new")
        await person.shot("new-errors")
    assert house.server.get("/api/solves")["solves"] == []


@pytest.mark.real
async def test_a_server_that_was_killed_and_is_back(
    house: Installation, browser: Browser, tmp_path: Path
):
    folder = small.make(tmp_path / "folder")
    slow = house.arena.script(
        "slow",
        {"say": small.PLAN, "run": [small.TEST, small.FIX], "delay_s": 6},
        {**small.FINISH, "delay_s": 2},
    )
    ask = {"repo_path": str(folder), "issue_text": small.ISSUE, "matrix": {"models": [slow]}}
    solve_id = house.server.post("/api/solves", ask)["id"]
    url = house.server.said["url"]
    async with tab(browser, url, **CALM) as person:
        page = person.page
        await person.go(f"/solves/{solve_id}")
        await page.get_by_text("running").first.wait_for()
        await page.evaluate("window.__stays = true")

        house.server.kill()
        await expect(page.get_by_text("The server is not responding")).to_be_visible()
        await expect(page.get_by_text("retrying")).to_be_visible()
        await person.shot("solve-away")

        house.serve_at(int(url.rpartition(":")[2]))
        await expect(page.get_by_text("The server is not responding")).to_have_count(0)
        await expect(page.get_by_role("button", name="Apply")).to_be_visible()
        assert await page.evaluate("window.__stays") is True
        await person.assert_calm(but="net::ERR_")
    assert rested(house.books, solve_id) == "awaiting_review"


@pytest.mark.real
async def test_polling_pauses_when_no_one_looks_and_ends_with_the_solve(
    house: Installation, browser: Browser, tmp_path: Path
):
    folder = small.make(tmp_path / "folder")
    slow = house.arena.script(
        "slow",
        {"say": small.PLAN, "run": [small.TEST], "delay_s": 1},
        {"run": [small.FIX], "delay_s": 14},
        {**small.FINISH, "delay_s": 1},
    )
    ask = {"repo_path": str(folder), "issue_text": small.ISSUE, "matrix": {"models": [slow]}}
    solve_id = house.server.post("/api/solves", ask)["id"]
    async with tab(browser, house.server.said["url"], **CALM) as person:
        page = person.page
        await person.go(f"/solves/{solve_id}")
        await page.get_by_text("running").first.wait_for()

        def polls() -> int:
            return sum("/updates" in request.url for request in person.requests)

        before = polls()
        await page.wait_for_timeout(4500)
        while_seen = polls() - before
        assert 2 <= while_seen <= 4
        await hide(page, hidden=True)
        await page.wait_for_timeout(500)
        before = polls()
        await page.wait_for_timeout(4500)
        assert polls() == before
        await hide(page, hidden=False)
        await expect(page.get_by_role("button", name="Apply")).to_be_visible()
        house.server.post(f"/api/solves/{solve_id}/dismiss", {})
        await page.reload()
        await expect(page.get_by_text("dismissed").first).to_be_visible()
        await page.wait_for_timeout(1000)
        before = polls()
        await page.wait_for_timeout(4500)
        assert polls() == before


async def hide(page, *, hidden: bool) -> None:
    """As a browser does with a tab that is behind another one."""
    state = "hidden" if hidden else "visible"
    await page.evaluate(
        """([state, hidden]) => {
            Object.defineProperty(document, "visibilityState", {value: state, configurable: true});
            Object.defineProperty(document, "hidden", {value: hidden, configurable: true});
            document.dispatchEvent(new Event("visibilitychange"));
            window.dispatchEvent(new Event("visibilitychange"));
        }""",
        [state, hidden],
    )
