"""A real Chromium, and tabs in it that note all that must never happen."""

import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, ConsoleMessage, Page, Request, async_playwright

from tests.support.chromium import find_chromium

SHOTS = os.environ.get("PAGE_SHOTS", "")
"""The folder for screenshots of every view, as `make test-real` makes them."""
PATIENCE_MS = 60_000
# Each window would load a search box that nobody here types into: half of all its work. Only the
# last list counts, so what Playwright turns off for pages like ours is said again.
_OFF = (
    *("WebUIOmniboxPopup", "WebUIOmniboxAimPopup"),
    *("HttpsUpgrades", "LensOverlay", "MediaRouter", "OptimizationHints", "PaintHolding"),
)
# What the policy refuses is told to the document, and thrown scripts are not the only ones.
_NOTE_VIOLATIONS = """
window.__violations = [];
document.addEventListener("securitypolicyviolation", (event) =>
  window.__violations.push(`${event.violatedDirective} ${event.blockedURI}`));
"""


@asynccontextmanager
async def chromium() -> AsyncGenerator[Browser]:
    path = find_chromium()
    assert path, "the browser tests need Chromium: `make test` installs it where it can"
    arguments = ["--disable-gpu", f"--disable-features={','.join(_OFF)}"]
    arguments += ["--no-sandbox"] if os.geteuid() == 0 else []
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=arguments)
        try:
            yield browser
        finally:
            await browser.close()


class Tab:
    """A page as a person has it open."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url
        self.errors: list[str] = []
        self.dialogs: list[str] = []
        self.foreign: list[str] = []
        self.requests: list[Request] = []
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", self._on_request)
        page.on("dialog", self._on_dialog)

    async def go(self, path: str) -> None:
        await self.page.goto(self.url + path)

    async def shot(self, name: str) -> None:
        if SHOTS:
            await self.page.screenshot(path=Path(SHOTS) / f"{name}.png", full_page=True)

    async def violations(self) -> list[str]:
        return await self.page.evaluate("window.__violations")

    async def assert_calm(self, *, but: str = "") -> None:
        """No error, no dialog, nothing asked of other hosts, nothing against the policy.

        `but` is what stands in errors of the console that are to be expected.
        """
        errors = [error for error in self.errors if not (but and but in error)]
        assert errors == []
        assert self.dialogs == []
        assert self.foreign == []
        assert await self.violations() == []

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.errors.append(f"{message.type}: {message.text}")

    def _on_request(self, request: Request) -> None:
        self.requests.append(request)
        if not request.url.startswith((self.url, "data:image/", "blob:")):
            self.foreign.append(request.url)

    async def _on_dialog(self, dialog: Any) -> None:
        self.dialogs.append(dialog.message)
        await dialog.dismiss()


@asynccontextmanager
async def tab(browser: Browser, url: str, **options: Any) -> AsyncGenerator[Tab]:
    """`options` are those of a new context: a viewport, a colour scheme."""
    options.setdefault("viewport", {"width": 1440, "height": 1000})
    context = await browser.new_context(**options)
    context.set_default_timeout(PATIENCE_MS)
    await context.add_init_script(_NOTE_VIOLATIONS)
    try:
        yield Tab(await context.new_page(), url)
    finally:
        await context.close()
