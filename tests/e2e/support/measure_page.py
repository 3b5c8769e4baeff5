"""How long the page takes to show 2,000 messages, and to add those of a poll (`make bench`).

From the answer's arrival to the frame that shows it, in a headless Chromium, with the built page.
The server's answers are made here, because no agent writes so much while one waits.
"""

import asyncio
import json
import sys
import time
from statistics import median
from typing import Any
from urllib.parse import parse_qs, urlsplit

from playwright.async_api import Browser, Route

from tests.e2e.support.browser import chromium
from yudai.api.page import BUILT

MESSAGES = 2000
ROUNDS = 3
APPENDS = 12
RENDER_TARGET_MS = 300
APPEND_TARGET_MS = 50
NODES_TARGET = 600
SITE = "http://yudai.test"
_PAINTED = "performance.getEntriesByName('yudai:trajectory').map(entry => entry.duration)"
_NODES = "document.querySelectorAll('[data-testid=messages] *').length"
_TYPES = {".css": "text/css", ".js": "text/javascript", ".html": "text/html"}
_NONE = {"cause": None, "error": "", "verdict": None, "tests": None, "rank": None}
_PROGRESS = {
    "total": 1, "queued": 0, "running": 1, "verifying": 0, "completed": 0, "failed": 0,
    "cancelled": 0,
}  # fmt: skip


class Server:
    """A run that writes two messages between two polls."""

    def __init__(self) -> None:
        self.upto = MESSAGES

    async def answer(self, route: Route) -> None:
        url = urlsplit(route.request.url)
        if url.path.endswith("/updates"):
            await route.fulfill(json=self._updates(parse_qs(url.query)))
        elif url.path.startswith("/api"):
            problem = {"detail": "not measured", "code": "not_found"}
            await route.fulfill(status=404, json=problem)
        else:
            file = BUILT / url.path.lstrip("/")
            file = file if file.is_file() else BUILT / "index.html"
            await route.fulfill(path=file, content_type=_TYPES.get(file.suffix, "image/svg+xml"))

    def _updates(self, asked: dict[str, list[str]]) -> dict[str, Any]:
        seen = int(asked.get("cursor", ["0"])[0] or 0)
        self.upto += 2 if seen else 0
        now = time.time()
        return {
            "cursor": str(self.upto), "epoch": "1", "server_time": now, "poll_ms": 400,
            "terminal": False, "reset": not seen, "more": False, "events": [], "resets": [],
            "unknown": [], "solve": _solve(now), "lanes": [_lane(self.upto, now)],
            "messages": {"r1": [message(seq) for seq in range(seen, self.upto)]},
        }  # fmt: skip


def _solve(now: float) -> dict[str, Any]:
    return {
        "state": "running", "champion": None, "cost_usd": 1, "cost_cap_usd": 10, "created_at": now,
        "started_at": now, "finished_at": None, "deadline_at": None, "reason": "",
        "progress": _PROGRESS,
    }  # fmt: skip


def _lane(rev: int, now: float) -> dict[str, Any]:
    return {
        **_NONE, "id": "r1", "handle": "long", "state": "running", "phase": "working", "attempt": 1,
        "rev": rev, "steps": rev // 2, "step_limit": 5000, "edits": 0, "cost_usd": 1.0, "tokens": 1,
        "started_at": now, "submitted_at": None, "finished_at": None, "elapsed_ms": 1000,
        "last_action": "", "files_changed": 0, "lines": 0, "marks": [], "url": "",
    }  # fmt: skip


def message(seq: int) -> dict[str, Any]:
    """10 to 80 lines, every third one coloured."""
    lines = [_line(seq, number) for number in range(10 + seq * 7 % 71)]
    is_command = seq % 2 == 0
    return {
        "attempt": 1, "seq": seq, "step": seq // 2 + 1,
        "role": "assistant" if is_command else "tool",
        "kind": "command" if is_command else "output", "is_test": False, "edit": None,
        "text": "\n".join(lines), "commands": ["pytest -q"] if is_command else [],
        "truncated": False, "bytes": 1000, "exit_code": None if is_command else 0,
        "cost_usd": None, "ms": 10, "at": 1e9 + seq, "raw": f"/api/runs/r1/messages/{seq}/raw",
    }  # fmt: skip


def _line(seq: int, number: int) -> str:
    text = f"{seq} line {number} of many words"
    return f"\x1b[3{number % 6 + 1}m{text}\x1b[0m" if number % 3 else text


async def measured(browser: Browser) -> tuple[float, float, int]:
    context = await browser.new_context(viewport={"width": 1440, "height": 1180})
    try:
        page = await context.new_page()
        await page.route("**/*", Server().answer)
        await page.goto(f"{SITE}/solves/s1/runs/r1")
        enough = f"performance.getEntriesByName('yudai:trajectory').length > {APPENDS}"
        await page.wait_for_function(enough, timeout=120_000)
        first, *later = await page.evaluate(_PAINTED)
        return first, median(later), await page.evaluate(_NODES)
    finally:
        await context.close()


async def main() -> None:
    async with chromium() as browser:
        found = [await measured(browser) for _ in range(ROUNDS)]
    render, append, nodes = (median(column) for column in zip(*found, strict=True))
    for what, value, target in (
        (f"{MESSAGES} messages rendered, ms", render, RENDER_TARGET_MS),
        ("a poll with two more, ms", append, APPEND_TARGET_MS),
        ("elements of the list", nodes, NODES_TARGET),
    ):
        word = "met" if value <= target else "MISSED"
        sys.stdout.write(f"{what}: {value:.0f} (target {target}, {word})\n")
    sys.stdout.write(f"each round: {json.dumps([[round(n) for n in one] for one in found])}\n")


if __name__ == "__main__":
    asyncio.run(main())
