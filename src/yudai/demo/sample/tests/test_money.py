import pytest

from passbook.money import format_amount, parse_amount


@pytest.mark.parametrize(
    ("text", "decimal", "cents"),
    [
        ("12.50", ".", 1250),
        ("2.80-", ".", -280),
        ("1,234.5", ".", 123450),
        ("1.234,56", ",", 123456),
        ("-1 000,00", ",", -100000),
    ],
)
def test_amounts_are_read_as_cents(text, decimal, cents):
    assert parse_amount(text, decimal=decimal) == cents


@pytest.mark.parametrize("text", ["", "1.2.3", "12.345"])
def test_what_is_no_amount_is_refused(text):
    with pytest.raises(ValueError, match="not an amount"):
        parse_amount(text)


@pytest.mark.parametrize(("cents", "text"), [(-5, "-0.05"), (123456, "1234.56")])
def test_cents_are_written_as_an_amount(cents, text):
    assert format_amount(cents) == text
