from hypothesis import given
from hypothesis import strategies as st

from yudai.runs.domain.progress import MAX_MARKS, Marks, RunMark, with_mark

marks = st.builds(
    RunMark,
    kind=st.sampled_from(["edit", "test"]),
    at=st.floats(0, 1e9),
    step=st.integers(0, 1000),
    cost_micros=st.integers(0, 10**9),
    ok=st.none() | st.booleans(),
)


def test_an_edit_is_marked_once():
    first = RunMark(kind="edit", at=1.0, step=1, cost_micros=0)
    assert with_mark((first,), first.model_copy(update={"step": 2})) == (first,)


@given(st.lists(marks, max_size=120))
def test_the_first_edit_and_the_newest_tests_stay(given_marks: list[RunMark]):
    kept: Marks = ()
    for mark in given_marks:
        kept = with_mark(kept, mark)
    edits = [mark for mark in given_marks if mark.kind == "edit"]
    tests = [mark for mark in given_marks if mark.kind == "test"]
    assert len(kept) <= MAX_MARKS
    assert [mark for mark in kept if mark.kind == "edit"] == edits[:1]
    room = MAX_MARKS - len(edits[:1])
    newest = [mark for mark in kept if mark.kind == "test"]
    assert newest == tests[len(tests) - len(newest) :]
    assert len(newest) >= min(len(tests), room)


def test_of_very_many_tests_the_oldest_go():
    kept: Marks = ()
    for step in range(100):
        kind = "edit" if step == 50 else "test"
        kept = with_mark(kept, RunMark(kind=kind, at=0.0, step=step, cost_micros=0))
    assert [mark.step for mark in kept] == [50, *range(61, 100)]
