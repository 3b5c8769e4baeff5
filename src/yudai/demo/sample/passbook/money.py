"""Amounts of money as whole cents."""

import re


def parse_amount(text: str, *, decimal: str = ".") -> int:
    """Read an amount as banks write it: grouped thousands, a sign at either end."""
    grouping = "," if decimal == "." else "."
    compact = text.replace("\u00a0", "").replace(" ", "").replace("'", "")
    sign = -1 if compact.startswith("-") or compact.endswith("-") else 1
    digits = compact.strip("+-").replace(grouping, "")
    match = re.fullmatch(rf"(\d+)(?:{re.escape(decimal)}(\d{{1,2}}))?", digits)
    if match is None:
        raise ValueError(f"not an amount: {text!r}")
    whole, fraction = match.group(1), match.group(2) or ""
    return sign * (int(whole) * 100 + int(fraction.ljust(2, "0")))


def format_amount(cents: int) -> str:
    sign = "-" if cents < 0 else ""
    whole, fraction = divmod(abs(cents), 100)
    return f"{sign}{whole}.{fraction:02d}"
