"""Somebody's words as a question to GitHub's search, where they are words and nothing else."""

from yudai.forge.adapters.github.context import moment
from yudai.forge.domain.repository import RepoRef
from yudai.forge.ports.remote import IssueQuery

# GitHub takes no more than 256 characters of words.
_MAX_WORDS = 20
_MAX_CHARACTERS = 200


def search_words(text: str) -> tuple[str, ...]:
    """Each to be quoted: a qualifier (`repo:`), an operator or a bracket is only text then."""
    words: list[str] = []
    room = _MAX_CHARACTERS
    for raw in text.split():
        word = "".join(char for char in raw if char.isprintable() and char not in '"\\')
        room -= len(word) + 3
        if room < 0 or len(words) == _MAX_WORDS:
            break
        if any(char.isalnum() for char in word):
            words.append(word)
    return tuple(words)


def search_query(repo: RepoRef, query: IssueQuery, words: tuple[str, ...]) -> str:
    label = query.label.replace('"', "").replace("\\", "")
    parts = [
        f"repo:{repo.full}",
        "is:issue",
        "state:open" if query.is_open else "state:closed",
        *([f'label:"{label}"'] if label else []),
        *([f"updated:>={moment(query.since)}"] if query.since is not None else []),
        *(f'"{word}"' for word in words),
    ]
    return " ".join(parts)
