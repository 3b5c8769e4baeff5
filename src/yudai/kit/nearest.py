"""What a person may have meant by a word that is not known."""

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(name: str, known: Iterable[str]) -> str:
    """`did you mean X?`, or all there is to choose from."""
    choices = list(known)
    close = get_close_matches(name, choices, n=1)
    return f"did you mean {close[0]}?" if close else f"choose {' or '.join(choices)}"
