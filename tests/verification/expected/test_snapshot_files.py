"""Snapshot files: other values are expectations, new entries are welcome, none may go."""

# ruff: noqa: E501 (a table has a case in a line)

import pytest

from yudai.verification.domain.edits.tampering import tampering
from yudai.verification.domain.expectations import Expectation
from yudai.verification.domain.expected.subject import Subject

LINES = "changes lines of this existing test file"
JEST = """// Jest Snapshot v1, https://goo.gl/fbAQLP

exports[`cart shows \\`two\\` items 1`] = `
Object {
  "items": 2,
}
`;

exports[`cart total 1`] = `"3 EUR"`;
"""
AMBER = """# serializer version: 1
# name: test_total
  3
# ---
# name: TestCart.test_items[a].1
  dict({
    'items': 2,
  })
# ---
"""
FILES = {"src/__snapshots__/cart.test.ts.snap": JEST, "tests/__snapshots__/test_cart.ambr": AMBER}


def found(path: str, base: str, patched: str | None) -> list[tuple[str, Expectation | None]]:
    return [(f.reason, f.expectation) for f in tampering({path: base}, {path: patched})]


@pytest.mark.parametrize(
    ("path", "old", "new", "test", "before", "now"),
    [
        ("src/__snapshots__/cart.test.ts.snap", "3 EUR", "4 EUR", "cart total 1", '"3 EUR"', '"4 EUR"'),
        ("test/cart.test.js.snapshot", "3 EUR", "4 \\`E\\`", "cart total 1", '"3 EUR"', '"4 `E`"'),
        (
            "src/__snapshots__/cart.test.ts.snap", '"items": 2', '"items": 3', "cart shows `two` items 1",
            'Object {\n  "items": 2,\n}', 'Object {\n  "items": 3,\n}',
        ),
        ("tests/__snapshots__/test_cart.ambr", "\n  3\n", "\n  4\n", "test_total", "  3", "  4"),
    ],
)  # fmt: skip
def test_another_value(path: str, old: str, new: str, test: str, before: str, now: str):
    base = FILES.get(path, JEST)
    [(reason, expected)] = found(path, base, base.replace(old, new))
    assert reason.startswith(f"changes what {test} expects: ")
    assert expected is not None
    assert expected.model_copy(update={"subject": Subject()}) == Expectation(
        test=test, path=path, before=before, now=now, line=f"{path}: {reason}"
    )
    assert set(expected.subject.names) <= {"cart", "total", "shows", "items"}
    assert "total" in expected.subject.names or "items" in expected.subject.names


@pytest.mark.parametrize("path", FILES)
def test_new_entries_are_welcome(path: str):
    entry = "\nexports[`new 1`] = `1`;\n" if path.endswith(".snap") else "# name: x\n  1\n# ---\n"
    assert found(path, FILES[path], FILES[path] + entry) == []
    changed = FILES[path].replace("3", "4") + entry
    assert [bool(expected) for _, expected in found(path, FILES[path], changed)] == [True]


@pytest.mark.parametrize(
    ("path", "old"),
    [
        ("src/__snapshots__/cart.test.ts.snap", 'exports[`cart total 1`] = `"3 EUR"`;\n'),
        ("tests/__snapshots__/test_cart.ambr", "# name: test_total\n  3\n# ---\n"),
    ],
)
def test_an_entry_that_is_gone(path: str, old: str):
    base = FILES[path]
    assert base.count(old) == 1
    assert found(path, base, base.replace(old, "")) == [(LINES, None)]
    changed = base.replace(old, "").replace("2", "5")
    assert [(reason, bool(e)) for reason, e in found(path, base, changed)][1:] == [(LINES, False)]


def test_a_deleted_file():
    for path, base in FILES.items():
        assert found(path, base, None) == [("deletes this test file", None)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("3 EUR", "${process.exit()}"),
        ("`;\n", "`;\nprocess.exit();\n"),
        ("3 EUR", "3 EUR`; process.exit(); `"),
        ("`;\n", "`; // x \u2028 process.exit()\n"),
        ('total 1`] = `"3 EUR"`;', 'total 1`] = `"4"`;\nexports[`cart total 1`] = `"5"`;'),
        ("exports[`cart total 1`]", "exports[name]"),
    ],
)
def test_what_is_more_than_values(old: str, new: str):
    edits = found("src/__snapshots__/cart.test.ts.snap", JEST, JEST.replace(old, new))
    assert edits == [(LINES, None)]


def test_what_is_more_than_entries():
    path = "tests/__snapshots__/test_cart.ambr"
    assert found(path, AMBER, AMBER.replace("3\n# ---\n", "4\n")) == [(LINES, None)]
    assert found(path, AMBER, "x\n" + AMBER.replace("3", "4")) == [(LINES, None)]


def test_a_base_that_is_no_file_of_snapshots():
    path = "src/__snapshots__/notes.snap"
    assert found(path, "one\n", "two\n") == [(LINES, None)]
    assert found(path, "one\n", "one\ntwo\n") == []
    assert found(path, " " * 6_000_000 + "a", "b") == [(LINES, None)]


def test_hostile_files_end_soon():
    path = "a/__snapshots__/a.snap"
    for piece in ("// ", "exports[`", "\n//", "`\\"):
        assert all(e is None for _, e in found(path, piece * 50_000 + "a", piece * 50_000 + "b"))
        assert found(path, JEST, JEST + piece * 50_000 + "b;") in ([], [(LINES, None)])
