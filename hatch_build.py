"""Nobody gets a package without the page: the build stops where `make web` has not been run."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PAGE = Path("src", "yudai", "_page")


class PageHook(BuildHookInterface):  # pyright: ignore[reportMissingTypeArgument] - as documented
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - its signature
        """An editable install is a checkout: its server says what to do itself."""
        if version == "editable" or (Path(self.root) / PAGE / "index.html").is_file():
            return
        # Not an error of Python's: installers show its whole traceback.
        raise SystemExit(f"{PAGE} is missing: `make web` builds the page, then build again")
