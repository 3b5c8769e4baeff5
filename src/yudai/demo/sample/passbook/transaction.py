"""One booking of a bank account."""

import re
from dataclasses import dataclass
from datetime import date
from typing import Tuple

Fingerprint = Tuple[str, int, str]

_CARD_SUFFIX = re.compile(r"\s*\bcard \d{4}$")


@dataclass(frozen=True)
class Transaction:
    booked: date
    cents: int
    payee: str
    note: str = ""

    @property
    def fingerprint(self) -> Fingerprint:
        """What stays the same between two exports of one booking.

        The note is left out: banks complete it days after the booking.
        """
        return (self.booked.isoformat(), self.cents, normalise_payee(self.payee))


def normalise_payee(payee: str) -> str:
    """Undo the differences in spelling between two exports of one bank."""
    collapsed = " ".join(payee.casefold().split())
    return _CARD_SUFFIX.sub("", collapsed)
