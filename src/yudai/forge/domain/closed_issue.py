"""Which issue a pull request says that it closes."""

import re

from yudai.forge.domain.issue_text import bare
from yudai.forge.domain.repository import RepoRef

_CLOSING = re.compile(
    r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\b:?[ \t]{1,9}"
    r"(?:(?P<repo>[\w.-]{1,100}/[\w.-]{1,100})?#|(?P<url>https?://[^\s#?]{1,300}/issues/))"
    r"(?P<number>[1-9][0-9]{0,8})\b",
    re.IGNORECASE,
)


def closed_issue(body: str, repo: RepoRef) -> int | None:
    """The first issue of this repository that a closing keyword names, if there is one.

    What a reader of the pull request does not see names nothing.
    """
    ours = repo.full.lower(), f"{repo.url}/issues/".lower()
    for found in _CLOSING.finditer(bare(body).text):
        if all(named is None or named.lower() in ours for named in (found["repo"], found["url"])):
            return int(found["number"])
    return None
