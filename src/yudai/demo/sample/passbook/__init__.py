"""Collect bank statements into one ledger."""

from passbook.ledger import ImportResult, Ledger, ReconcileError
from passbook.statement import StatementError, read_statement
from passbook.transaction import Transaction

__all__ = [
    "ImportResult",
    "Ledger",
    "ReconcileError",
    "StatementError",
    "Transaction",
    "read_statement",
]
