from datetime import date

from passbook import Transaction
from passbook.transaction import normalise_payee

DAY = date(2024, 5, 3)


def test_spelling_does_not_change_the_fingerprint():
    one = Transaction(DAY, -280, "TRAMWAYS  Card 4711")
    two = Transaction(DAY, -280, "Tramways")
    assert one.fingerprint == two.fingerprint


def test_a_note_does_not_change_the_fingerprint():
    pending = Transaction(DAY, -4500, "Bookshop")
    booked = Transaction(DAY, -4500, "Bookshop", "order 1881")
    assert pending.fingerprint == booked.fingerprint


def test_day_amount_and_payee_change_the_fingerprint():
    one = Transaction(DAY, -280, "Tramways")
    others = [
        Transaction(date(2024, 5, 4), -280, "Tramways"),
        Transaction(DAY, 280, "Tramways"),
        Transaction(DAY, -280, "Railway"),
    ]
    assert all(other.fingerprint != one.fingerprint for other in others)


def test_only_a_card_number_at_the_end_is_dropped():
    assert normalise_payee("Card 4711 Shop") == "card 4711 shop"
    assert normalise_payee("Discard 4711") == "discard 4711"
