"""What took our change back, and what only looks so."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yudai.forge.domain.repository import Account, ForgeCommit, PullRequest, PullState
from yudai.patches.patch import parse_patch
from yudai.publishing.domain.branch_history import Act, Change, LandingSign, acts_of, find_landing
from yudai.publishing.domain.publication import OutcomeKind
from yudai.publishing.domain.reverts import Reversal, Sign, has_enough, read_history, telling_lines

COMMIT, MERGE, OTHER = "a" * 40, "b" * 40, "c" * 40
R1, R2, R3 = "1" * 40, "2" * 40, "3" * 40
OURS = Change(
    repo="acme/demo",
    number=7,
    title="Fix add()",
    base="main",
    shas=(MERGE, COMMIT),
    since=100.0,
    patch_id="p" * 40,
    inverse_patch_id="q" * 40,
)
REVERTED, REAPPLIED = OutcomeKind.REVERTED, OutcomeKind.REAPPLIED


def _act(sha: str = R1, at: float = 200.0, **parts: Any) -> Act:
    return Act(sha=sha, at=at, **parts)


def _kinds(*acts: Act, kept: tuple[Reversal, ...] = ()) -> list[OutcomeKind]:
    return [reversal.kind for reversal in read_history(OURS, acts, kept=kept).reversals]


SIGNS = [
    (Sign.COMMIT, {"message": f'Revert "x"\n\nThis reverts commit {MERGE}.'}),
    (Sign.COMMIT, {"message": "Undo\n\nThis reverts commit bbbbbbb."}),
    (Sign.COMMIT, {"message": f"Undo\n\nThis reverts commit {COMMIT}."}),
    (Sign.COMMIT, {"message": f"Undo\n\nthis reverts commit {MERGE.upper()}, reversing\nchanges"}),
    (Sign.COMMIT, {"message": f"Back\n\nThis reverts commit {MERGE} (Fix add(), 2026-01-01)."}),
    (Sign.COMMIT, {"number": 9, "title": "Undo", "body": f"This reverts commit {MERGE}."}),
    (Sign.COMMIT, {"message": f"All (#9)\n\n* Revert a\n\nThis reverts commit {MERGE}.\n\n* b"}),
    (Sign.PULL, {"number": 9, "title": "Undo", "body": "Reverts acme/demo#7"}),
    (Sign.PULL, {"number": 9, "title": "Undo", "body": "It broke.\r\nReverts Acme/Demo#7, alas"}),
    (Sign.PULL, {"number": 9, "title": "Undo", "body": "Reverts #7"}),
    (Sign.PULL, {"message": "Undo (#9)\n\nReverts acme/demo#7"}),
    (Sign.BRANCH, {"number": 9, "title": "Undo", "branch": "revert-7-yudai/issue-1-0a"}),
    (Sign.TITLE, {"number": 9, "title": 'Revert "Fix add()"'}),
    (Sign.TITLE, {"number": 9, "title": 'Revert "Fix add() (#7)"'}),
    (Sign.TITLE, {"message": 'Revert "Fix add()" (#9)\n\nIt broke.'}),
    (Sign.TITLE, {"message": 'Revert "Fix add() (#7)" (#9)'}),
]


@pytest.mark.parametrize(("sign", "parts"), SIGNS)
def test_each_sign_of_a_revert_is_read(sign: Sign, parts: dict[str, Any]) -> None:
    [reversal] = read_history(OURS, [_act(**parts)]).reversals
    assert (reversal.kind, reversal.sign, reversal.sha, reversal.at) == (REVERTED, sign, R1, 200.0)


FALSE = [
    {"message": "Mention #7"},
    {"title": 'Revert "Fix add() in docs"', "number": 9},
    {"title": 'Revert "fix add()"', "number": 9},
    {"title": "Revert Fix add()", "number": 9},
    {"title": 'Do not Revert "Fix add()"', "number": 9},
    {"title": 'Revert "Fix add()" and more', "number": 9},
    {"title": 'Revert "Fix add() (#8)"', "number": 9},
    {"title": "Fix add()", "number": 9},
    {"message": "x\n\nThis reverts commit bbbbbb."},
    {"message": f"x\n\nThis reverts commit {OTHER}."},
    {"message": f"x\n\nWhy this reverts commit {MERGE} is told below."},
    {"message": f"x\n\n> This reverts commit {MERGE}."},
    {"message": f"x\n\nThis does not revert commit {MERGE}."},
    {"body": "Reverts acme/demo#77", "number": 9},
    {"body": "Reverts other/demo#7", "number": 9},
    {"body": "see Reverts acme/demo#7", "number": 9},
    {"body": "It reverts to the old look, see #7", "number": 9},
    {"message": "x\n\nReverts #7"},
    {"branch": "revert-77-x", "number": 9},
    {"branch": "revert-7", "number": 9},
    {"branch": "no-revert-7-x", "number": 9},
    {"title": 'Revert "Fix add()"', "body": "Reverts acme/demo#99", "number": 9},
]


@pytest.mark.parametrize("parts", FALSE)
def test_what_only_looks_like_a_revert_is_none(parts: dict[str, Any]) -> None:
    reading = read_history(OURS, [_act(**parts)])
    assert (reading.reversals, reading.suspicions, reading.is_there) == ((), (), True)


def test_the_same_title_of_another_commit_on_the_branch_is_not_ours() -> None:
    other = _act(OTHER, 150.0, message="Fix add()")
    revert = _act(R1, 200.0, message=f'Revert "Fix add()"\n\nThis reverts commit {OTHER}.')
    assert _kinds(other, revert) == []


@pytest.mark.parametrize(
    ("at", "sha", "number"), [(99.0, R1, 9), (200.0, MERGE, 9), (200.0, COMMIT, 9), (200.0, R1, 7)]
)
def test_only_what_came_later_and_is_not_ours_counts(at: float, sha: str, number: int) -> None:
    assert _kinds(_act(sha, at, body="Reverts #7", number=number)) == []


def test_the_very_second_of_our_merge_counts() -> None:
    late = OURS.model_copy(update={"since": 100.9})
    assert read_history(late, [_act(R1, 100.0, body="Reverts #7", number=9)]).reversals


NESTED = [
    (R2, {"message": f"Again\n\nThis reverts commit {R1}."}, REAPPLIED),
    (R2, {"number": 12, "body": "Reverts acme/demo#9"}, REAPPLIED),
    (R2, {"number": 12, "branch": "revert-9-revert-7-x"}, REAPPLIED),
    (R2, {"number": 12, "title": 'Revert "Revert "Fix add()""'}, REAPPLIED),
    (R2, {"message": 'Revert "Revert "Fix add() (#7)" (#9)" (#12)'}, REAPPLIED),
    (R2, {"message": 'Reapply "Fix add()"'}, REAPPLIED),
    (R2, {"message": f"Fix add() once more\n\n(cherry picked from commit {MERGE})"}, REAPPLIED),
    (R2, {"message": "Fix it after all", "patch_id": "p" * 40}, REAPPLIED),
]


@pytest.mark.parametrize(("sha", "parts", "kind"), NESTED)
def test_what_takes_a_revert_back_restores(
    sha: str, parts: dict[str, Any], kind: OutcomeKind
) -> None:
    first = _act(R1, 200.0, number=9, title="Undo", body="Reverts acme/demo#7")
    second = _act(sha, 300.0, **parts)
    assert _kinds(first, second) == [REVERTED, kind]
    kept = read_history(OURS, [first]).reversals
    assert _kinds(first, second, kept=kept) == [kind]
    again = read_history(OURS, [first, second]).reversals
    assert _kinds(first, second, kept=again) == []


def test_a_reapplied_change_can_be_reverted_again() -> None:
    acts = [
        _act(R1, 200.0, message=f"u\n\nThis reverts commit {MERGE}."),
        _act(R2, 300.0, message=f"u\n\nThis reverts commit {R1}."),
        _act(R3, 400.0, message=f"u\n\nThis reverts commit {R2}."),
    ]
    reading = read_history(OURS, acts)
    assert [reversal.kind for reversal in reading.reversals] == [REVERTED, REAPPLIED, REVERTED]
    assert not reading.is_there
    direct = acts[2].model_copy(update={"message": f"u\n\nThis reverts commit {MERGE}."})
    assert _kinds(*acts[:2], direct) == [REVERTED, REAPPLIED, REVERTED]
    assert _kinds(_act(message='Revert "Reapply "Fix add()""')) == [REVERTED]


def test_a_reapply_that_quotes_the_revert_is_no_second_revert() -> None:
    first = _act(R1, 200.0, message=f"u\n\nThis reverts commit {MERGE}.", number=9)
    quoting = f"u\n\nThis reverts commit {R1}.\n\nIt said:\nThis reverts commit {MERGE}."
    assert _kinds(first, _act(R2, 300.0, message=quoting)) == [REVERTED, REAPPLIED]
    title = 'Revert "Revert "Fix add()""'
    body = "Reverts acme/demo#9\n\nReverts acme/demo#7"
    quoted = _act(R2, 300.0, number=12, title=title, body=body)
    assert _kinds(first, quoted) == [REVERTED, REAPPLIED]


def test_one_revert_seen_as_commit_and_as_pull_request_is_one() -> None:
    commit = _act(R1, 200.0, message=f'Revert "Fix add()"\n\nThis reverts commit {MERGE}.')
    pull = _act(R2, 210.0, number=9, title='Revert "Fix add()"', body="Reverts acme/demo#7")
    assert _kinds(commit, pull) == [REVERTED]
    # Seen in the other order, because the forge's lists are not of the same moment.
    kept = read_history(OURS, [pull]).reversals
    assert _kinds(commit, pull, kept=kept) == []
    again = _act(R3, 300.0, number=12, body="Reverts acme/demo#9")
    assert _kinds(commit, pull, again, kept=kept) == [REAPPLIED]


def test_a_reapply_without_a_revert_changes_nothing() -> None:
    assert _kinds(_act(message="x", patch_id="p" * 40)) == []
    assert _kinds(_act(title='Reapply "Fix add()"', number=9)) == []


def test_what_undoes_our_change_without_saying_so_is_only_suspected() -> None:
    silent = _act(message="Tidy up", patch_id="q" * 40)
    reading = read_history(OURS, [silent])
    assert (reading.reversals, reading.suspicions, reading.is_there) == ((), (silent,), True)
    said = _act(message=f"u\n\nThis reverts commit {MERGE}.", patch_id="q" * 40)
    assert read_history(OURS, [said]).suspicions == ()
    later = _act(R2, 300.0, message="Tidy up", patch_id="q" * 40)
    assert read_history(OURS, [said, later]).suspicions == ()


def test_without_patch_ids_nothing_is_suspected() -> None:
    bare = OURS.model_copy(update={"patch_id": "", "inverse_patch_id": ""})
    reading = read_history(bare, [_act(message="x")])
    assert (reading.reversals, reading.suspicions) == ((), ())


@given(st.integers(1, 12), st.sampled_from(["Fix add()", "Fix add() (#7)"]))
def test_parity_decides_however_deep_reverts_are_nested(depth: int, title: str) -> None:
    for _ in range(depth):
        title = f'Revert "{title}"'
    first = Reversal(kind=REVERTED, sha=OTHER, at=150.0, sign=Sign.COMMIT)
    kept = () if depth % 2 else (first,)
    expected = REVERTED if depth % 2 else REAPPLIED
    assert _kinds(_act(title=title, number=99), kept=kept) == [expected]


_WORDS = st.text(st.sampled_from('Revert"Fix add()#7 (9)\n'), max_size=60)


@given(_WORDS, _WORDS, _WORDS)
def test_text_that_names_nothing_of_ours_never_counts(title: str, body: str, branch: str) -> None:
    stranger = OURS.model_copy(update={"number": 123_456, "title": "\x00", "shas": (MERGE,)})
    act = _act(title=title, body=body, branch=branch, message=body, number=9)
    assert read_history(stranger, [act]).reversals == ()


@given(st.lists(st.sampled_from([R1, R2, R3, MERGE]), max_size=8))
def test_a_history_read_again_or_in_parts_says_the_same(targets: list[str]) -> None:
    acts = [
        _act(f"{index:x}{'d' * 39}", 200.0 + index, message=f"u\n\nThis reverts commit {target}.")
        for index, target in enumerate(targets)
    ]
    whole = read_history(OURS, acts).reversals
    kinds = [reversal.kind for reversal in whole]
    assert set(kinds[::2]) <= {REVERTED}
    assert set(kinds[1::2]) <= {REAPPLIED}
    kept: tuple[Reversal, ...] = ()
    for end in range(len(acts) + 1):
        kept += read_history(OURS, acts[:end], kept=kept).reversals
    assert kept == whole


def test_a_hostile_title_is_read_in_no_time() -> None:
    title = 'Revert "' * 8000 + "Fix add()" + '"' * 8000
    assert _kinds(_act(title=title, body=title, message=title, branch="revert-1-" * 8000)) == []


def _pull(number: int, **changes: Any) -> PullRequest:
    columns: dict[str, Any] = {
        "url": "",
        "title": 'Revert "Fix add()"',
        "body": "Reverts acme/demo#7",
        "state": PullState.MERGED,
        "is_draft": False,
        "author": Account(id=1, login="ada"),
        "head_repo": "acme/demo",
        "head_branch": "x",
        "head_commit": "",
        "base_branch": "main",
        "merge_commit": R1,
        "merged_by": "ada",
        "created_at": 150.0,
        "merged_at": 200.0,
    }
    return PullRequest(number=number, **(columns | changes))


def test_a_pull_request_and_its_merge_commit_are_one_act() -> None:
    commits = [
        ForgeCommit(sha=OTHER, message="x", at=120.0),
        ForgeCommit(sha=R1, message="Revert it (#9)\n\nbecause", at=200.0, author="bob"),
    ]
    acts = acts_of("main", commits, [_pull(9)], patch_ids={R1: "q"})
    assert [act.sha for act in acts] == [OTHER, R1]
    assert (acts[1].number, acts[1].by, acts[1].patch_id) == (9, "ada", "q")
    assert acts[1].message.startswith("Revert it")


@pytest.mark.parametrize(
    "changes",
    [
        {"base_branch": "release"},
        {"state": PullState.OPEN},
        {"state": PullState.CLOSED},
    ],
)
def test_only_what_was_merged_into_the_same_base_is_an_act(changes: dict[str, Any]) -> None:
    assert acts_of("main", [], [_pull(9, **changes)], patch_ids={}) == ()
    [kept] = acts_of("main", [], [_pull(9, merge_commit="")], patch_ids={})
    assert kept.sha == "#9"


LANDED = [
    (LandingSign.PATCH, {"patch_id": "p" * 40, "message": "x"}),
    (LandingSign.PICKED, {"message": f"Fix\n\n(cherry picked from commit {COMMIT})"}),
    (LandingSign.PICKED, {"message": "Fix\n\n(cherry picked from commit aaaaaaa)"}),
    (LandingSign.NUMBER, {"message": "Fix add() (#7)\n\nmore"}),
    (
        LandingSign.NUMBER,
        {"message": "Fix\n\nbody\n\nReviewed-By: A\nPR-URL: https://x/acme/demo/pull/7"},
    ),
    (LandingSign.NUMBER, {"message": "Fix\n\nPull-Request: #7"}),
    (LandingSign.NUMBER, {"message": "Fix\n\nPR: Acme/demo#7\n"}),
]


@pytest.mark.parametrize(("sign", "parts"), LANDED)
def test_a_change_that_was_brought_by_hand_is_found(
    sign: LandingSign, parts: dict[str, Any]
) -> None:
    found = find_landing(OURS, [_act(OTHER, message="before"), _act(**parts)])
    assert found is not None
    assert (found.act.sha, found.sign) == (R1, sign)


@pytest.mark.parametrize(
    "parts",
    [
        {"message": "Fix (#77)"},
        {"message": "About (#7) and others"},
        {"message": 'Revert "Fix add() (#7)"'},
        {"message": "Fix\n\nSee PR: #7 for more"},
        {"message": "Fix\n\nPR: #7\n\nSigned-off-by: A"},
        {"message": "Fix\n\nPR: other/demo#7"},
        {"message": "Fix\n\nCloses #7"},
        {"message": f"Fix\n\nlike (cherry picked from commit {COMMIT})"},
        {"message": "Fix (#7)", "at": 50.0},
    ],
)
def test_what_only_mentions_it_has_not_landed(parts: dict[str, Any]) -> None:
    assert find_landing(OURS, [_act(**parts)]) is None


def test_only_telling_lines_are_looked_for() -> None:
    patch = parse_patch(
        "diff --git a/a.py b/a.py\nindex 1111111111111111111111111111111111111111.."
        "2222222222222222222222222222222222222222 100644\n--- a/a.py\n+++ b/a.py\n"
        "@@ -1,1 +1,5 @@\n-old\n+\n+  )\n+    return a + b\n+total = 1\n+if total:\n"
    )
    lines = telling_lines(patch)
    assert lines == {"a.py": ("    return a + b", "total = 1", "if total:")}
    assert has_enough(lines)
    assert not has_enough({"a.py": ("    return a + b",)})
    assert not has_enough({})
