from datetime import date

import pytest

from passbook import Transaction
from passbook.report import UNSORTED, categorise, monthly_totals, parse_rules, render

RULES = parse_rules("transport: tramways | railway\nfood: bakery\n")
TICKET = Transaction(date(2024, 5, 3), -280, "TRAMWAYS Card 4711")
BREAD = Transaction(date(2024, 5, 4), -410, "Bakery Miller")
BREAD_JUNE = Transaction(date(2024, 6, 1), -390, "Bakery Miller")


def test_the_first_rule_that_matches_wins():
    assert categorise(Transaction(TICKET.booked, -1, "Railway Bakery"), RULES) == "transport"
    assert categorise(Transaction(TICKET.booked, -1, "Cinema"), RULES) == UNSORTED


def test_totals_by_month_and_category():
    assert monthly_totals([TICKET, BREAD, BREAD_JUNE], RULES) == {
        "2024-05": {"transport": -280, "food": -410},
        "2024-06": {"food": -390},
    }


def test_the_largest_expense_comes_first():
    lines = render(monthly_totals([TICKET, BREAD], RULES)).splitlines()
    assert [line.split() for line in lines] == [
        ["2024-05", "-6.90"],
        ["food", "-4.10"],
        ["transport", "-2.80"],
    ]


@pytest.mark.parametrize("text", ["transport\n", "ok: a\nfood: |\n"])
def test_a_bad_rule_is_refused(text):
    with pytest.raises(ValueError, match="category: word"):
        parse_rules(text)
