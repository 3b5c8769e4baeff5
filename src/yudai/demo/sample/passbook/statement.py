"""Read a bank's CSV statement."""

import csv
import io
from dataclasses import dataclass
from datetime import datetime
from typing import Dict, List, Sequence, Tuple

from passbook.money import parse_amount
from passbook.transaction import Transaction


class StatementError(ValueError):
    """The text is not a statement that we understand; names the line."""


@dataclass(frozen=True)
class Layout:
    delimiter: str
    date_format: str
    decimal: str
    columns: Tuple[str, ...]
    """The columns that must be there, lower case."""


LAYOUTS = (
    Layout(";", "%d.%m.%Y", ",", ("date", "payee", "note", "amount")),
    Layout(",", "%Y-%m-%d", ".", ("date", "payee", "amount")),
)


def read_statement(text: str) -> List[Transaction]:
    """Return the statement's transactions, the oldest first."""
    lines = text.lstrip("\ufeff").splitlines()
    if not lines:
        raise StatementError("line 1: the statement is empty")
    layout = _detect(lines[0])
    rows = csv.reader(io.StringIO("\n".join(lines)), delimiter=layout.delimiter)
    header = [name.strip().lower() for name in next(rows)]
    transactions = [
        _transaction(layout, header, row, line)
        for line, row in enumerate(rows, start=2)
        if any(cell.strip() for cell in row)
    ]
    if len(transactions) > 1 and transactions[0].booked > transactions[-1].booked:
        transactions.reverse()
    return transactions


def _detect(first_line: str) -> Layout:
    for layout in LAYOUTS:
        names = {name.strip().lower() for name in first_line.split(layout.delimiter)}
        if names.issuperset(layout.columns):
            return layout
    raise StatementError(f"line 1: unknown columns {first_line!r}")


def _transaction(
    layout: Layout, header: Sequence[str], row: Sequence[str], line: int
) -> Transaction:
    if len(row) != len(header):
        raise StatementError(f"line {line}: {len(row)} columns instead of {len(header)}")
    cells: Dict[str, str] = dict(zip(header, (cell.strip() for cell in row)))
    try:
        return Transaction(
            booked=datetime.strptime(cells["date"], layout.date_format).date(),
            cents=parse_amount(cells["amount"], decimal=layout.decimal),
            payee=cells["payee"],
            note=cells.get("note", ""),
        )
    except ValueError as error:
        raise StatementError(f"line {line}: {error}") from error
