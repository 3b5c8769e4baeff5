"""Secrets in what a patch adds: shapes of known tokens, and random text given to secret names."""

import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate, islice
from typing import NamedTuple

from yudai.kit.value import Value
from yudai.patches.patch import FileChange, Patch, readable
from yudai.patches.test_paths import is_test_path, name_of

_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+(\d+)")
_SHOWN = 4
_MIN_SHOWN = 20
_MAX_FINDINGS = 20
_MAX_HITS = 200
_AT_ONCE = 1 << 15


class Finding(Value):
    path: str
    line: int
    """Of the file as it will be; 0: in its name, or in a file that has no lines."""
    kind: str
    masked: str

    def __str__(self) -> str:
        return f"{readable(self.path)}:{self.line} {self.kind} {self.masked}"


class _Shape(NamedTuple):
    kind: str
    pattern: str


# Tokens whose issuers gave them a form of their own.
_SHAPES = (
    _Shape("GitHub token", r"gh[pousr]_[A-Za-z0-9_]{30,255}"),
    _Shape("GitHub token", r"github_pat_[A-Za-z0-9_]{50,255}"),
    _Shape("GitLab token", r"gl(?:pat|ptt|dt|rt|cbt|ft|soat|agent|imt|oas)-[A-Za-z0-9_.-]{20,255}"),
    _Shape("Anthropic key", r"sk-ant-[a-z0-9]{3,10}-[A-Za-z0-9_-]{32,255}"),
    _Shape("OpenRouter key", r"sk-or-(?:v1-)?[A-Za-z0-9]{32,255}"),
    _Shape("OpenAI key", r"sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{32,255}"),
    _Shape("OpenAI key", r"sk-[A-Za-z0-9]{32,64}"),
    _Shape("AWS access key", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}"),
    _Shape("Google API key", r"AIza[A-Za-z0-9_-]{35}"),
    _Shape("Google client secret", r"GOCSPX-[A-Za-z0-9_-]{28}"),
    _Shape("Google access token", r"ya29\.[A-Za-z0-9_-]{40,255}"),
    _Shape("Slack token", r"xox[abeoprs]-[A-Za-z0-9-]{20,255}"),
    _Shape("Slack token", r"xapp-\d-[A-Za-z0-9-]{40,255}"),
    _Shape(
        "Slack webhook", r"hooks\.slack\.com/(?:services|workflows)/T[A-Z0-9]+/[A-Za-z0-9/]{20,128}"
    ),
    _Shape("Stripe key", r"(?:sk|rk)_live_[A-Za-z0-9]{16,255}"),
    _Shape("Stripe webhook secret", r"whsec_[A-Za-z0-9]{32,255}"),
    _Shape("npm token", r"npm_[A-Za-z0-9]{36}"),
    _Shape("PyPI token", r"pypi-AgE[A-Za-z0-9_-]{50,255}"),
    _Shape("Hugging Face token", r"hf_[A-Za-z0-9]{34}"),
    _Shape("SendGrid key", r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}"),
    _Shape("DigitalOcean token", r"do[opr]_v1_[0-9a-f]{64}"),
    _Shape("Docker Hub token", r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{27,64}"),
    _Shape("Shopify token", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    _Shape("Telegram bot token", r"\d{8,10}:AA[A-Za-z0-9_-]{33}"),
    _Shape("Groq key", r"gsk_[A-Za-z0-9]{40,64}"),
    _Shape("xAI key", r"xai-[A-Za-z0-9]{60,128}"),
    _Shape("E2B key", r"e2b_[0-9a-f]{40}"),
    _Shape("Linear key", r"lin_api_[A-Za-z0-9]{40}"),
    _Shape("Vault token", r"hv[sb]\.[A-Za-z0-9_-]{90,255}"),
    _Shape("age key", r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    _Shape("Azure storage key", r"AccountKey=[A-Za-z0-9+/]{86}=="),
    _Shape(
        "JSON web token",
        r"eyJ[A-Za-z0-9_-]{10,4096}\.eyJ[A-Za-z0-9_-]{10,4096}\.[A-Za-z0-9_-]{20,4096}",
    ),
)
_KNOWN = re.compile(
    r"(?<![A-Za-z0-9_-])(?:"
    + "|".join(f"(?P<s{number}>{shape.pattern})" for number, shape in enumerate(_SHAPES))
    + r")(?![A-Za-z0-9])"
)
# The header alone is what any program that reads keys would say: material has to follow.
_PRIVATE_KEY = re.compile(
    r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:[\s\"'+,;]|\\[nr]?|(?:Proc-Type|DEK-Info|Version|Comment):[^\n]{0,80}\n){1,64}"
    r"(?P<material>[A-Za-z0-9+/]{32,})"
)
_ASSIGNED = re.compile(
    r"""
    (?:secret|passw(?:or)?d|passphrase|token|credentials?
      |(?:secret|api|access|auth|private|signing|encryption|account|master)[_-]?key)
    ["'\]]{0,2}\s{0,8}(?::\s{0,4}str\s{0,4})?(?:=>|:=|=|:)\s{0,8}
    (?:(?P<quote>["'`])(?P<quoted>[A-Za-z0-9+/_=.~!@#$%^&*-]{20,200})(?P=quote)
      |(?P<bare>[A-Za-z0-9+/_=.~-]{24,200})(?=\s|$))
    """,
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)
_IN_URL = re.compile(
    r"[a-z][a-z0-9+]{1,20}://[A-Za-z0-9_.%-]{1,64}:(?P<password>[^/\s:@\"'`<>{}$]{12,128})"
    r"@(?!localhost|127\.|\[::1\]|example\.)[A-Za-z0-9.-]{3,255}"
)
_BARE_FILES = re.compile(
    r"(?:.*\.)?(?:env(?:\..+)?|envrc|ini|cfg|conf|properties|ya?ml|toml|netrc|npmrc|pypirc)",
    re.IGNORECASE,
)
_LOCK_FILES = re.compile(
    r".*\.lock|.*-lock\.(?:json|ya?ml)|.*\.sum|npm-shrinkwrap\.json|.*\.lockb|.*lock\.hcl"
    r"|requirements[^/]*\.txt",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"example|placeholder|changeme|change[_-]me|your[_-]|dummy|sample|redacted|x{6}|X{6}|\*{4}|\.{4}"
    r"|0{8}|1234567890|abcdefgh|deadbeef|lorem|insecure",
    re.IGNORECASE,
)
# jwt.io's own, which half of the world's tests hold: its payload is John Doe's.
_JOHN_DOE = "eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9l"
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_HEX = re.compile(r"[0-9a-fA-F]+")
_WORDS = re.compile(r"[A-Za-z]+\d{0,3}(?:[_./:@+=~-]+(?:[A-Za-z]+\d{0,3}|\d{1,3}))*[_./:@+=~-]*")
_MIN_DISTINCT = 6
_MIN_ENTROPY = 3.9
_MIN_HEX_ENTROPY = 3.2
_MIN_HEX = 32


def find_secrets(patch: Patch, binaries: Mapping[str, bytes] | None = None) -> tuple[Finding, ...]:
    """What looks like a secret in added lines, names and `binaries` (what is new, by path)."""
    found: list[Finding] = []
    for change in patch.files:
        found += _in_change(change, (binaries or {}).get(change.path, b""))
    return tuple(found[:_MAX_FINDINGS])


def mask(secret: str) -> str:
    """Enough to recognise one's own, too little to use it."""
    if len(secret) < _MIN_SHOWN:
        return f"{secret[:2]}…"
    return f"{secret[:_SHOWN]}…{secret[-_SHOWN:]}"


class _Hit(NamedTuple):
    at: int
    kind: str
    secret: str


def _in_change(change: FileChange, binary: bytes) -> list[Finding]:
    if change.kind == "deleted":
        return []
    hits = list(_known(change.path))
    if binary:
        hits += _in_bytes(binary)
    added = list(_numbered(change))
    text = "\n".join(line for _, line in added)
    starts = list(accumulate((len(line) + 1 for _, line in added), initial=0))
    return [
        *(_finding(change, 0, hit) for hit in hits),
        *(
            _finding(change, added[bisect_right(starts, hit.at) - 1][0], hit)
            for hit in _unique(_in_text(change.path, text))
        ),
    ]


def _in_text(path: str, text: str) -> Iterator[_Hit]:
    yield from _known(text)
    for match in _IN_URL.finditer(text):
        if _is_random(match["password"]):
            yield _Hit(match.start("password"), "password in a URL", match["password"])
    if is_test_path(path) or _LOCK_FILES.fullmatch(name_of(path)):
        return
    takes_bare = _BARE_FILES.fullmatch(name_of(path)) is not None
    for match in _matches(_ASSIGNED, text):
        group = "quoted" if match["quoted"] else "bare"
        if (group == "quoted" or takes_bare) and _is_random(match[group]):
            yield _Hit(match.start(group), "random text given to a secret's name", match[group])


def _in_bytes(content: bytes) -> list[_Hit]:
    """Also as a text of two bytes for each character has it."""
    hits = _known(content.decode("latin-1"))
    if b"\0" in content:
        hits += _known(content.replace(b"\0", b"").decode("latin-1"))
    return _unique(hits)


def _known(text: str) -> list[_Hit]:
    hits = [
        _Hit(match.start(), _SHAPES[int((match.lastgroup or "s0")[1:])].kind, match[0])
        for match in _matches(_KNOWN, text)
    ]
    keys = (_Hit(m.start(), "private key", m["material"]) for m in _PRIVATE_KEY.finditer(text))
    return [hit for hit in (*hits, *keys) if not _is_placeholder(hit.secret)]


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Some lines at a time: nothing else of ours can run while a pattern does."""
    start = 0
    while start < len(text):
        end = text.find("\n", start + _AT_ONCE) + 1 or len(text)
        yield from pattern.finditer(text, start, end)
        start = end


def _unique(hits: Iterable[_Hit]) -> list[_Hit]:
    """A token given to a secret's name is one finding: the first that names it."""
    found: list[_Hit] = []
    for hit in islice(hits, _MAX_HITS):
        if not any(_overlap(hit, other) for other in found):
            found.append(hit)
    return found


def _overlap(one: _Hit, other: _Hit) -> bool:
    return one.at < other.at + len(other.secret) and other.at < one.at + len(one.secret)


def _numbered(change: FileChange) -> Iterator[tuple[int, str]]:
    """Added lines with their numbers in the new file."""
    number = 0
    _, mark, hunks = change.text.partition("\n@@ ")
    for line in (mark[1:] + hunks).split("\n"):
        if header := _HUNK.match(line):
            number = int(header[1])
        elif line.startswith("+"):
            yield number, line[1:]
            number += 1
        elif line.startswith(" "):
            number += 1


def _finding(change: FileChange, line: int, hit: _Hit) -> Finding:
    return Finding(path=change.path, line=line, kind=hit.kind, masked=mask(hit.secret))


def _is_placeholder(secret: str) -> bool:
    few = len(set(secret[-_MIN_SHOWN:])) < _MIN_DISTINCT
    return few or _JOHN_DOE in secret or _PLACEHOLDER.search(secret) is not None


def _is_random(text: str) -> bool:
    """Conservative: what a person could have meant as words, a number or a name is none."""
    if _is_placeholder(text) or _UUID.fullmatch(text) or _WORDS.fullmatch(text):
        return False
    if _HEX.fullmatch(text):
        return len(text) >= _MIN_HEX and _entropy(text) >= _MIN_HEX_ENTROPY
    return _mixes(text) and _entropy(text) >= _MIN_ENTROPY


def _mixes(text: str) -> bool:
    digits = sum(char.isdigit() for char in text)
    upper = sum(char.isupper() for char in text)
    lower = sum(char.islower() for char in text)
    return digits >= 2 and upper >= 2 and lower >= 2


def _entropy(text: str) -> float:
    """Bits for each character, by how often each occurs in it."""
    counts = Counter(text).values()
    return -sum(n / len(text) * math.log2(n / len(text)) for n in counts)
