"""The command line: import, balance, report."""

import argparse
import sys
from pathlib import Path
from typing import List, Optional

from passbook import storage
from passbook.money import format_amount
from passbook.report import monthly_totals, parse_rules, render
from passbook.statement import read_statement


def main(argv: Optional[List[str]] = None) -> int:
    arguments = _parser().parse_args(argv)
    try:
        print(arguments.command(arguments))
    except (OSError, ValueError) as error:
        print(f"passbook: {error}", file=sys.stderr)
        return 1
    return 0


def _import(arguments: argparse.Namespace) -> str:
    ledger = storage.load(arguments.ledger)
    transactions = read_statement(arguments.statement.read_text(encoding="utf-8"))
    result = ledger.record(transactions)
    storage.save(ledger, arguments.ledger)
    return f"{result.imported} imported, {result.skipped} skipped"


def _balance(arguments: argparse.Namespace) -> str:
    return format_amount(storage.load(arguments.ledger).balance())


def _report(arguments: argparse.Namespace) -> str:
    rules = parse_rules(arguments.rules.read_text(encoding="utf-8")) if arguments.rules else []
    return render(monthly_totals(storage.load(arguments.ledger), rules))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="passbook")
    commands = parser.add_subparsers(required=True)
    for name, command in (("import", _import), ("balance", _balance), ("report", _report)):
        sub = commands.add_parser(name)
        sub.set_defaults(command=command)
        sub.add_argument("ledger", type=Path)
        if name == "import":
            sub.add_argument("statement", type=Path)
        if name == "report":
            sub.add_argument("--rules", type=Path)
    return parser


if __name__ == "__main__":
    sys.exit(main())
