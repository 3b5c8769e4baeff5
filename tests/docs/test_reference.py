"""Generated pages are fresh."""

import importlib.util
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_generated_pages_are_fresh():
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    stale = [
        path.name
        for path, text in generate.pages().items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    assert stale == [], "run `make gen`"
