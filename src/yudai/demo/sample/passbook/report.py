"""Where the money went: totals by month and category."""

from collections import defaultdict
from typing import Dict, Iterable, List, NamedTuple, Tuple

from passbook.money import format_amount
from passbook.transaction import Transaction, normalise_payee

UNSORTED = "unsorted"


class Rule(NamedTuple):
    category: str
    words: Tuple[str, ...]


def parse_rules(text: str) -> List[Rule]:
    """Read `category: word | word` lines; `#` starts a comment."""
    rules: List[Rule] = []
    for number, line in enumerate(text.splitlines(), start=1):
        content = line.partition("#")[0].strip()
        if not content:
            continue
        category, colon, words = content.partition(":")
        found = tuple(normalise_payee(word) for word in words.split("|") if word.strip())
        if not colon or not found:
            raise ValueError(f"line {number}: write `category: word | word`")
        rules.append(Rule(category.strip(), found))
    return rules


def categorise(transaction: Transaction, rules: Iterable[Rule]) -> str:
    payee = normalise_payee(transaction.payee)
    for rule in rules:
        if any(word in payee for word in rule.words):
            return rule.category
    return UNSORTED


def monthly_totals(
    transactions: Iterable[Transaction], rules: Iterable[Rule] = ()
) -> Dict[str, Dict[str, int]]:
    """Cents by month (`2024-05`) and category."""
    rules = list(rules)
    totals: Dict[str, Dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for transaction in transactions:
        month = transaction.booked.strftime("%Y-%m")
        totals[month][categorise(transaction, rules)] += transaction.cents
    return {month: dict(categories) for month, categories in sorted(totals.items())}


def render(totals: Dict[str, Dict[str, int]]) -> str:
    lines: List[str] = []
    for month, categories in totals.items():
        lines.append(f"{month}{format_amount(sum(categories.values())):>24}")
        for category, cents in sorted(categories.items(), key=lambda item: item[1]):
            lines.append(f"  {category:<16}{format_amount(cents):>13}")
    return "\n".join(lines)
