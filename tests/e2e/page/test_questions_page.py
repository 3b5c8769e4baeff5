"""A solve that needs a person, on the page: what it asks, how it is answered, what follows."""

from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.decisions.questions import EXPECTATION, INTERFACE, AskingDecider, conclude
from tests.e2e.page.test_page_views import WIDTH, check_by_axe, settled
from tests.e2e.support.browser import PATIENCE_MS, chromium, tab
from tests.e2e.support.service import Installation, installed
from tests.support.solve_rows import SOLVE, Ring, failed, run_id
from yudai.settings import Settings
from yudai.solves import timeline as events
from yudai.solves.domain.states import SolveState
from yudai.wiring.components import open_context

pytestmark = [pytest.mark.asyncio, pytest.mark.timeout(240)]
expect.set_options(timeout=PATIENCE_MS)
HOSTILE = "<img src=x onerror=alert(1)>\u202e"
DETAIL = f"""\
test               expected before  expected now  who says so
t.py::test_total   3                4             fast-t0.0-e5-balanced
{HOSTILE}
--- a/t.py
+++ b/t.py
@@ -1,2 +1,2 @@
 def test_total():
-    assert total([1, 2]) == 3
+    assert total([1, 2]) == 4

The issue says: "the total counts both ends".
{"a long line " * 40}
"""


async def asked(house: Installation) -> None:
    """It is stored; nothing was run."""
    async with open_context(Settings.at(house.home)) as context:
        columns = {"state": SolveState.RUNNING, "finished_at": None, "durable": True}
        await Ring(context).solve(failed(), failed(), **columns)
        async with context.store.change() as db:
            await events.append(db, SOLVE, kind="runs.cross_examined", at=1.0)
        about = {"detail": DETAIL, "runs": (run_id(0), run_id(1))}
        first = EXPECTATION.model_copy(update=about)
        await conclude(context, AskingDecider(first, INTERFACE))


async def test_a_person_answers_and_the_worker_goes_on(tmp_path: Path):
    with installed(tmp_path / "house") as house:
        await asked(house)
        url = house.serve().said["url"]
        async with chromium() as browser, tab(browser, url) as person:
            page = person.page
            await person.go("/")
            await expect(page.get_by_role("row").get_by_text("needs you")).to_be_visible()
            await person.shot("questions-list")
            await person.go(f"/solves/{SOLVE}")
            panel = page.get_by_role("region", name="Needs you")
            await expect(panel.get_by_role("heading", level=3)).to_have_count(2)
            await expect(panel.get_by_text("U+202E")).to_have_count(1)
            await page.set_viewport_size({"width": 390, "height": 900})
            assert await page.evaluate(WIDTH) <= 390
            await person.shot("questions-390")
            await check_by_axe(person, "questions")
            await panel.get_by_role("button", name="yes").first.click()
            # The server's own rules ask nothing: the worker closes the other question.
            await expect(page.get_by_text("answered by local")).to_be_visible()
            await expect(page.get_by_text("No champion: 0 of 2 passed")).to_be_visible()
            await expect(page.get_by_role("region", name="Needs you")).to_have_count(0)
            await settled(person)
            await person.shot("questions-answered")
            await person.assert_calm()
