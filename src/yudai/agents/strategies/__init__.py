"""Strategies: one Markdown file with a prompt recipe each; data, not code."""

from functools import cache
from importlib.resources import files

from yudai.kit.errors import RefusedError


@cache
def recipe(strategy: str) -> str:
    """The recipe's text; RefusedError names the file that is missing or empty."""
    source = files(__name__) / f"{strategy}.md"
    text = source.read_text("utf-8").strip() if strategy in names() else ""
    if not text:
        raise RefusedError(
            f"there is no strategy {strategy!r}: choose one of {', '.join(names())},"
            f" or write the file {source}"
        )
    return text


@cache
def names() -> tuple[str, ...]:
    return tuple(sorted(f.name[:-3] for f in files(__name__).iterdir() if f.name.endswith(".md")))
