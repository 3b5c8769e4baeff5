import json

import pytest

from yudai.kit.text import clean
from yudai.store.columns import to_json


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("plain", "plain"),
        ("naïve 🐍", "naïve 🐍"),
        ("a\x00b", "a\ufffdb"),
        ("ä\x00b", "ä\ufffdb"),
        ("a\ud800b\udfff", "a\ufffdb\ufffd"),
        ("", ""),
    ],
)
def test_text_is_made_storable(given: str, kept: str) -> None:
    assert clean(given) == kept
    assert json.loads(to_json({given: [given]})) == {kept: [kept]}


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("\\u0000", "\\u0000"),
        ("\\\x00", "\\\ufffd"),
        ("\\\\u0000\x00", "\\\\u0000\ufffd"),
        ("\n\x00\t", "\n\ufffd\t"),
    ],
)
def test_only_a_real_nul_is_replaced_not_text_that_spells_one(given: str, kept: str) -> None:
    assert json.loads(to_json(given)) == kept


def test_what_is_not_plain_data_is_refused() -> None:
    with pytest.raises(TypeError):
        to_json({"a": object()})
