"""The registry of guarantees; that each backend speaks to every kind is tested in contracts/."""

from pathlib import Path
from typing import get_args

import pytest

from yudai.sandboxes.domain.guarantees import KINDS, WALLS, GuaranteeKind, Kept, guarantees
from yudai.sandboxes.port import Capabilities

PAGE = Path(__file__).parents[2] / "docs/reference/guarantees.md"


def test_every_kind_has_a_row():
    assert list(KINDS) == list(get_args(GuaranteeKind))
    assert all(row.meaning.endswith(".") for row in KINDS.values())


def test_names_are_those_of_the_documents():
    assert set(KINDS) == {
        *("files", "environment", "network", "processes", "memory", "process count"),
        *("processors", "disk", "time", "output", "kernel"),
    }
    assert {"files", "environment", "network", "processes"} == WALLS


def test_every_kind_is_documented():
    page = PAGE.read_text()
    missing = [kind for kind, row in KINDS.items() if f"| `{kind}` | {row.meaning} |" not in page]
    assert missing == []


def test_backend_says_something_about_every_kind():
    kept = dict.fromkeys(KINDS, (True, "it is"))
    assert [one.name for one in guarantees(kept)] == list(KINDS)
    del kept["disk"]
    with pytest.raises(LookupError, match="says nothing about disk"):
        guarantees(kept)


@pytest.mark.parametrize("broken", [None, *KINDS])
def test_a_backend_is_isolated_while_it_keeps_every_part_of_isolation(broken: GuaranteeKind | None):
    kept: dict[GuaranteeKind, Kept] = {kind: (kind != broken, "it is") for kind in KINDS}
    said = Capabilities(backend="any", guarantees=guarantees(kept))
    assert said.isolated is (broken not in WALLS)


def test_a_backend_that_says_nothing_is_not_isolated():
    assert not Capabilities(backend="any", guarantees=()).isolated
