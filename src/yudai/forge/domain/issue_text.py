"""An issue as contestants read it: only what a person at the forge could see, and never trusted."""

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from yudai.forge.domain.issue import Issue, IssueFacts
from yudai.forge.domain.repository import Account, Comment, ForgeIssue
from yudai.kit.text import clean

MAX_TITLE = 500
MAX_TEXT = 200_000
OUR_MARK = "<!-- yudai:"
"""The marker that is in the text of every comment that Yudai posts."""
COMMAND = re.compile(r"/yudai(?:[ \t][^\n]*)?", re.IGNORECASE)

# To its end also where it is shown as code: a parser that reads Markdown differently than the forge
# does would let something through.
_HIDDEN = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
# `[//]: # (nobody sees this)`: a link's definition that no link uses.
_UNUSED = re.compile(
    r"^[ \t>]*\[[^\]\n]{0,999}\]:[ \t]*(?:#|<>|<#>)"
    r"(?:[ \t]*\n?[ \t]*(?:\"[^\"]{0,5000}\"|'[^']{0,5000}'|\([^)]{0,5000}\))|[ \t][^\n]*)?[ \t]*$",
    re.MULTILINE,
)
_BREAKS = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_UNSEEN = frozenset({"Cc", "Cf", "Co"})
# Letters, marks and places without a character that show nothing at all.
_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u3164\uffa0\ufdd0-\ufdef\ufff0-\ufff8"
    "\ufffe\uffff\U000e0000-\U000e0fff]"
)
# One after something that can be seen says how it is drawn; anything more says something else.
_SELECTORS = re.compile(
    "(?<=[^\\s\ufe00-\ufe0f])[\ufe0e\ufe0f](?![\ufe00-\ufe0f])|([\ufe00-\ufe0f])"
)
_HEADING = re.compile(r"^(?=[ \t]*Comment by \S+ \()", re.MULTILINE)


class StrippedText(NamedTuple):
    """Text without its invisible parts."""

    text: str
    comments: int
    characters: int


class ContestantsIssue(NamedTuple):
    issue: Issue
    facts: IssueFacts


class Selection(NamedTuple):
    """Options for the text that contestants get."""

    all_comments: bool = False
    """Include comments by people who are not collaborators; never by bots or Yudai."""
    words: str = ""
    """What the person who requests the solve wrote; it comes before the text of the forge."""
    title: str = ""
    """Replaces the forge's title."""


_BY_DEFAULT = Selection()


def bare(text: str) -> StrippedText:
    """Strip and count invisible parts: HTML comments and invisible characters."""
    shown = _BREAKS.sub("\n", clean(text))
    seen, characters = _visible(shown)
    # A space: what stood on both sides makes no new comment.
    seen, hidden = _HIDDEN.subn(" ", seen)
    seen, unused = _UNUSED.subn("", seen)
    return StrippedText(seen.strip("\n").rstrip(), hidden + unused, characters)


def take(
    found: ForgeIssue,
    comments: Sequence[Comment],
    *,
    at: float,
    selection: Selection = _BY_DEFAULT,
) -> ContestantsIssue:
    """The issue's text at this moment; later changes at the forge do not affect it."""
    chosen = [comment for comment in comments if _is_wanted(comment, selection)]
    title = bare(selection.title or found.title)
    words, body = selection.words.strip(), bare(found.body)
    remarks = [bare(comment.body) for comment in chosen]
    text = _Text()
    if words:
        text.add(words)
    if body.text:
        text.add(_unheaded(body.text))
    used = [
        comment
        for comment, remark in zip(chosen, remarks, strict=True)
        if text.add_whole(_remark(comment, remark.text))
    ]
    stripped = (title, body, *remarks)
    line, is_long = _line(title.text)
    return ContestantsIssue(
        Issue(title=line or f"#{found.number}", body=text.whole, number=found.number),
        IssueFacts(
            url=found.url,
            author=found.author.login,
            taken_at=at,
            comments_used=len(used),
            # Our own comments report on the solve; they say nothing about the issue.
            comments_left_out=sum(OUR_MARK not in one.body for one in comments) - len(used),
            hidden_comments=sum(part.comments for part in stripped),
            hidden_characters=sum(part.characters for part in stripped),
            was_cut=text.was_cut or is_long,
        ),
    )


def is_bot(account: Account) -> bool:
    return account.is_bot or account.login.lower().endswith("[bot]")


class _Text:
    """Parts with an empty line between them, never longer than the limit."""

    def __init__(self) -> None:
        self.whole = ""
        self.was_cut = False

    def add(self, part: str) -> None:
        room = MAX_TEXT - len(self.whole) - len(self._gap)
        self.was_cut |= len(part) > room
        self.whole = f"{self.whole}{self._gap}{part[: max(0, room)]}"[:MAX_TEXT]

    def add_whole(self, part: str) -> bool:
        """Include the part as a whole or not at all."""
        if len(self.whole) + len(self._gap) + len(part) > MAX_TEXT:
            self.was_cut = True
            return False
        self.whole = f"{self.whole}{self._gap}{part}"
        return True

    @property
    def _gap(self) -> str:
        return "\n\n" if self.whole else ""


def _visible(text: str) -> tuple[str, int]:
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text, 0
    kept = "".join(c for c in text if c in "\n\t" or unicodedata.category(c) not in _UNSEEN)
    kept = _SELECTORS.sub(_kept_selector, _BLANK.sub("", kept))
    return kept, len(text) - len(kept)


def _kept_selector(found: re.Match[str]) -> str:
    return "" if found[1] else found[0]


def _is_wanted(comment: Comment, selection: Selection) -> bool:
    if is_bot(comment.author) or OUR_MARK in comment.body:
        return False
    is_said = not COMMAND.fullmatch(comment.body.strip()) and bool(bare(comment.body).text)
    return is_said and (selection.all_comments or comment.association.is_trusted)


def _remark(comment: Comment, text: str) -> str:
    """Quote the text under a heading that quoted text cannot imitate."""
    quoted = "\n".join(f"> {line}".rstrip() for line in text.split("\n"))
    return f"Comment by {_name(comment.author)} ({comment.association}):\n\n{quoted}"


def _name(account: Account) -> str:
    return re.sub(r"[^A-Za-z0-9_-]", "?", account.login)[:100] or "?"


def _unheaded(text: str) -> str:
    return _HEADING.sub("> ", text)


def _line(text: str) -> tuple[str, bool]:
    flat = " ".join(text.split())
    return flat[:MAX_TITLE].strip(), len(flat) > MAX_TITLE
