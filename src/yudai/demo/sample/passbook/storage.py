"""Keep a ledger in a CSV file."""

import csv
from datetime import date
from pathlib import Path

from passbook.ledger import Ledger
from passbook.transaction import Transaction

HEADER = ["booked", "cents", "payee", "note"]


def save(ledger: Ledger, path: Path) -> None:
    """Write the whole ledger; the old file stays until the new one is complete."""
    unfinished = path.with_name(path.name + ".new")
    with unfinished.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["opening", ledger.opening])
        writer.writerow(HEADER)
        for transaction in ledger:
            writer.writerow(
                [
                    transaction.booked.isoformat(),
                    transaction.cents,
                    transaction.payee,
                    transaction.note,
                ]
            )
    unfinished.replace(path)


def load(path: Path) -> Ledger:
    """Read a ledger; a file that is not there yet is an empty one."""
    if not path.exists():
        return Ledger()
    with path.open(newline="", encoding="utf-8") as file:
        rows = csv.reader(file)
        opening = int(next(rows)[1])
        if next(rows) != HEADER:
            raise ValueError(f"{path.name} is not a ledger")
        return Ledger(
            (
                Transaction(date.fromisoformat(booked), int(cents), payee, note)
                for booked, cents, payee, note in rows
            ),
            opening=opening,
        )
