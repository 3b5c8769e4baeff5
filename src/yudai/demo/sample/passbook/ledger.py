"""All transactions of an account, collected from statements that may overlap."""

from datetime import date
from typing import Iterable, Iterator, List, NamedTuple, Optional, Set

from passbook.money import format_amount
from passbook.transaction import Fingerprint, Transaction


class ReconcileError(ValueError):
    """The ledger's balance is not the bank's."""


class ImportResult(NamedTuple):
    imported: int
    skipped: int


class Ledger:
    def __init__(self, transactions: Iterable[Transaction] = (), *, opening: int = 0) -> None:
        self.opening = opening
        self._transactions: List[Transaction] = []
        self._known: Set[Fingerprint] = set()
        self.record(transactions)

    def __len__(self) -> int:
        return len(self._transactions)

    def __iter__(self) -> Iterator[Transaction]:
        """The transactions by date; those of one day in the order of their import."""
        return iter(sorted(self._transactions, key=lambda transaction: transaction.booked))

    def __contains__(self, transaction: Transaction) -> bool:
        return transaction.fingerprint in self._known

    def record(self, transactions: Iterable[Transaction]) -> ImportResult:
        """Take over one statement; what the ledger has already is skipped."""
        imported = skipped = 0
        for transaction in transactions:
            if transaction in self:
                skipped += 1
                continue
            self._known.add(transaction.fingerprint)
            self._transactions.append(transaction)
            imported += 1
        return ImportResult(imported, skipped)

    def balance(self, until: Optional[date] = None) -> int:
        """Cents at the end of a day, or of all that is known."""
        return self.opening + sum(
            transaction.cents
            for transaction in self._transactions
            if until is None or transaction.booked <= until
        )

    def reconcile(self, closing: int, *, until: Optional[date] = None) -> None:
        """Raise unless the balance is the one that the bank states."""
        balance = self.balance(until)
        if balance != closing:
            raise ReconcileError(
                f"the ledger says {format_amount(balance)}, the bank {format_amount(closing)}: "
                f"{format_amount(balance - closing)} too much"
            )
