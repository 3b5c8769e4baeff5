"""Prices: what a call costs, and how a person writes one."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yudai.gateway.domain.models import (
    FREE,
    Price,
    Provider,
    Usage,
    is_script,
    parse_amounts,
    parse_price,
    scripted,
)
from yudai.kit.errors import RefusedError

SONNET = Price(input_micros=3_000_000, output_micros=15_000_000, cached_micros=300_000)


def usage(put_in: int = 0, cached: int = 0, out: int = 0) -> Usage:
    return Usage(input_tokens=put_in, cached_tokens=cached, output_tokens=out)


@pytest.mark.parametrize(
    ("used", "micros"),
    [
        (usage(), 0),
        (usage(1_000_000), 3_000_000),
        (usage(1_000_000, cached=1_000_000), 300_000),
        (usage(10_000, cached=8_000, out=500), 6_000 + 2_400 + 7_500),
        (usage(100, cached=5_000), 30),
    ],
)
def test_cached_tokens_are_part_of_the_input_at_their_own_price(used: Usage, micros: int):
    assert SONNET.cost(used) == micros


def test_without_a_price_of_their_own_cached_tokens_cost_as_any_other():
    plain = Price(input_micros=3_000_000, output_micros=15_000_000)
    assert plain.cost(usage(1000, cached=1000)) == plain.cost(usage(1000))


def test_a_fraction_of_a_micro_dollar_is_never_lost():
    assert Price(input_micros=1, output_micros=0).cost(usage(1)) == 1


@given(st.builds(usage, *[st.integers(0, 10**7)] * 3), st.integers(0, 10**7))
def test_more_output_never_costs_less(used: Usage, more: int):
    assert SONNET.cost(used) <= SONNET.cost(used + usage(out=more))


def test_scripted_models_are_free():
    assert FREE.is_free
    assert not SONNET.is_free
    assert scripted("scripted/x").provider is Provider.SCRIPTED
    assert scripted("scripted/x").price == FREE


@pytest.mark.parametrize(
    ("text", "name", "micros"),
    [
        ("gpt-4.1=2,8", "gpt-4.1", (2_000_000, 8_000_000, None)),
        ("openai/gpt-4.1=2,8,0.5", "openai/gpt-4.1", (2_000_000, 8_000_000, 500_000)),
        ("qwen2.5-coder:7b=0,0", "qwen2.5-coder:7b", (0, 0, None)),
        (" m = .15 , 0.6 ", "m", (150_000, 600_000, None)),
        ("a=b=1,2", "a=b", (1_000_000, 2_000_000, None)),
        ("m=0.0000001,10000", "m", (1, 10_000_000_000, None)),
    ],
)
def test_a_price_is_dollars_per_million_tokens(
    text: str, name: str, micros: tuple[int, int, int | None]
):
    priced = parse_price(text)
    assert priced.name == name
    price = priced.price
    assert (price.input_micros, price.output_micros, price.cached_micros) == micros


@pytest.mark.parametrize(
    "text",
    [
        "m=-1,2", "m=nan,1", "m=NaN,NaN", "m=inf,1", "m=1e3,1", "m=free", "m=", "m=1", "m=1,2,3,4",
        "m=1;2", "m=1,,2", "m=one,two", "m=99999,1", "m=1,10000.01", "m=1_0,1", "m=\u0661,1",
        "m=123456,1", "=1,2", " =1,2", "1,2", "m", "", "m=1,2,1.5", "m=1,2\x00",
    ],
)  # fmt: skip
def test_what_is_no_price_is_refused_in_one_line(text: str):
    with pytest.raises(RefusedError) as refused:
        parse_price(text)
    assert "\n" not in str(refused.value)


def test_the_order_of_a_price_is_reported_when_it_was_mixed_up():
    with pytest.raises(RefusedError, match="IN,OUT,CACHED"):
        parse_amounts("3,0.3,15")


@given(st.text())
def test_any_text_is_a_price_or_refused(text: str):
    with suppress(RefusedError):
        assert parse_price(text).name


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("scripted/mine", True),
        ("scripted//etc/passwd", True),
        ("scripted/yudai-demo/surgeon", False),
        ("scripted/yudai-demo/../secret", True),
        ("scripted/yudai-demo/..", True),
        ("scripted/yudai-demo/a/b", True),
        ("scripted/yudai-demo/", True),
        ("scripted/yudai-demo/surgeon\n", True),
        ("scripted/yudai-demo/surgeon.yaml", True),
        ("yudai-demo/surgeon", False),
        ("openai/gpt-4.1", False),
    ],
)
def test_only_plain_names_are_the_demos(name: str, *, is_one: bool):
    assert is_script(name) is is_one
