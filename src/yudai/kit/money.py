"""Amounts of money, in micro-dollars."""

MICROS_PER_USD = 1_000_000


def usd(micros: int) -> float:
    return micros / MICROS_PER_USD
