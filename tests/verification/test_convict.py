from collections.abc import Sequence

import pytest

from yudai.verification.domain.convict import independent


@pytest.mark.parametrize(
    ("answers", "number"),
    [
        ([], 0),
        (["a"], 1),
        (["a", "b"], 2),
        (["a", "a"], 1),
        (["abc"], 1),
        (["ab", "a"], 2),
        (["a", "ab", "b"], 2),
        (["abc", "abc", "abc"], 3),
    ],
)
def test_answers_that_can_each_have_an_author_of_their_own(answers: Sequence[str], number: int):
    assert independent(map(frozenset, answers)) == number
    assert independent(map(frozenset, reversed(answers))) == number
