import pytest

from yudai.verification.domain.edits.script_test_edits import script_edits

BASE = """
const { add } = require('./calc');
import sum, { type Total } from "./sum";

describe('calc', () => {
  it('adds', () => {
    expect(add(1, 2)).toBe(3);
  });
});
"""


def reasons(patched: str) -> list[str]:
    return [edit.reason for edit in script_edits(BASE, patched)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("{ add }", "{ add, sub }"),
        ("{ type Total }", "{ type Total, total as t }"),
        ("  it('adds'", "  it('subs', () => {});\n\n      it('adds'"),
        ("  });\n});", "  });\n  // more\n  it('b', () => { expect(1).toBe(1); });\n});"),
        ("toBe(3);", "toBe(3)"),
        ("\nconst", "\nconst fs = require('fs');\nconst"),
    ],
)
def test_what_may_be_done(old: str, new: str):
    assert BASE.count(old) == 1
    assert reasons(BASE.replace(old, new)) == []


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("toBe(3)", "toBe(4)", "changes what calc > adds expects: 3 -> 4"),
        ("toBe(3)", "toBeTruthy()", "changes lines of this existing test file"),
        ("    expect(add(1, 2)).toBe(3);\n", "", "changes lines of this existing test file"),
        ("  it(", "  it.skip(", "skips tests of this existing test file"),
        ("  it(", "  xit(", "skips tests of this existing test file"),
        ("\ndescribe(", "\ndescribe.only('x', f);\ndescribe(", "skips tests"),
        ("\ndescribe(", "\nprocess.exit(0);\ndescribe(", "skips tests"),
        ("'./calc'", "'./fake'", "changes what this existing test file imports (./calc)"),
        ("{ add }", "{ sub: add }", "changes what this existing test file imports (./calc)"),
        ("sum, { type", "{ type", "changes what this existing test file imports (./sum)"),
    ],
)
def test_what_may_not(old: str, new: str, reason: str):
    assert reason in reasons(BASE.replace(old, new))[0]
