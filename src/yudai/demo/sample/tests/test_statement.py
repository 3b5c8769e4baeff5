from datetime import date

import pytest

from passbook import StatementError, Transaction, read_statement

SEMICOLONS = """\
Date;Payee;Note;Amount
02.05.2024;Employer Ltd;salary May;2.150,00
03.05.2024;Tramways;;-2,80
"""
COMMAS = """\
date,payee,amount
2024-05-02,"Smith, Jones & Co",-19.90
"""


def test_semicolon_layout():
    assert read_statement(SEMICOLONS) == [
        Transaction(date(2024, 5, 2), 215000, "Employer Ltd", "salary May"),
        Transaction(date(2024, 5, 3), -280, "Tramways"),
    ]


def test_comma_layout_with_a_quoted_payee():
    assert read_statement(COMMAS) == [
        Transaction(date(2024, 5, 2), -1990, "Smith, Jones & Co"),
    ]


def test_a_byte_order_mark_and_blank_lines_are_ignored():
    assert read_statement("\ufeff" + COMMAS + "\n\n") == read_statement(COMMAS)


def test_newest_first_is_turned_round():
    text = "date,payee,amount\n2024-05-03,B,-2.00\n2024-05-02,A,-1.00\n"
    assert [transaction.payee for transaction in read_statement(text)] == ["A", "B"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: the statement is empty"),
        ("when,who\n", "line 1: unknown columns"),
        ("date,payee,amount\n2024-05-02,A\n", "line 2: 2 columns instead of 3"),
        ("date,payee,amount\n2024-05-02,A,1.00\n2024-13-02,A,1.00\n", "line 3: time data"),
        ("date,payee,amount\n2024-05-02,A,one\n", "line 2: not an amount"),
    ],
)
def test_errors_name_the_line(text, message):
    with pytest.raises(StatementError, match=message):
        read_statement(text)
