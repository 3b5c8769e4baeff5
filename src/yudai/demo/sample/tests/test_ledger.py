from datetime import date

import pytest

from passbook import ImportResult, Ledger, ReconcileError, Transaction

SALARY = Transaction(date(2024, 5, 2), 215000, "Employer Ltd", "salary May")
TICKET = Transaction(date(2024, 5, 3), -280, "Tramways")
BREAD = Transaction(date(2024, 5, 4), -410, "Bakery Miller")
BOOKS = Transaction(date(2024, 5, 6), -4500, "Bookshop")


def test_a_statement_is_taken_over():
    ledger = Ledger()
    assert ledger.record([SALARY, TICKET]) == ImportResult(imported=2, skipped=0)
    assert list(ledger) == [SALARY, TICKET]


def test_the_same_statement_again_changes_nothing():
    ledger = Ledger([SALARY, TICKET])
    assert ledger.record([SALARY, TICKET]) == ImportResult(imported=0, skipped=2)
    assert len(ledger) == 2


def test_overlapping_statements_are_not_counted_twice():
    ledger = Ledger()
    ledger.record([SALARY, TICKET, BREAD])
    assert ledger.record([TICKET, BREAD, BOOKS]) == ImportResult(imported=1, skipped=2)
    assert ledger.balance() == 215000 - 280 - 410 - 4500


def test_another_spelling_is_the_same_booking():
    ledger = Ledger([TICKET])
    respelt = Transaction(TICKET.booked, TICKET.cents, "TRAMWAYS Card 4711")
    assert ledger.record([respelt]) == ImportResult(imported=0, skipped=1)


def test_a_note_that_the_bank_added_later_is_the_same_booking():
    ledger = Ledger([BOOKS])
    completed = Transaction(BOOKS.booked, BOOKS.cents, BOOKS.payee, "order 1881")
    assert ledger.record([completed]) == ImportResult(imported=0, skipped=1)


def test_the_same_ticket_on_another_day_is_another_booking():
    ledger = Ledger([TICKET])
    next_day = Transaction(date(2024, 5, 4), -280, "Tramways")
    assert ledger.record([next_day]) == ImportResult(imported=1, skipped=0)


def test_transactions_come_by_date():
    assert list(Ledger([BOOKS, SALARY, BREAD])) == [SALARY, BREAD, BOOKS]


def test_membership_goes_by_the_booking():
    ledger = Ledger([TICKET])
    assert Transaction(TICKET.booked, TICKET.cents, "tramways") in ledger
    assert BREAD not in ledger


def test_the_balance_starts_at_the_opening_and_stops_at_a_day():
    ledger = Ledger([SALARY, TICKET, BREAD], opening=10000)
    assert ledger.balance() == 224310
    assert ledger.balance(until=date(2024, 5, 3)) == 224720


def test_reconcile_accepts_the_bank_s_balance():
    Ledger([SALARY, TICKET]).reconcile(214720)


def test_reconcile_names_the_difference():
    with pytest.raises(ReconcileError, match=r"says 2150.00, the bank 2147.20: 2.80 too much"):
        Ledger([SALARY]).reconcile(214720)
