import base64
import json
import re
import time
from urllib.parse import quote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from yudai.kit.redaction import MIN_LENGTH, REDACTED, redactor

SECRETS = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=12, max_size=60)
AROUND = st.binary(max_size=20)


@given(SECRETS, st.text(max_size=50), st.text(max_size=50))
def test_a_known_secret_is_nowhere(secret: str, before: str, after: str):
    shown = redactor([secret])(f"{before}{secret}{after}")
    assert REDACTED in shown
    assert secret not in shown


@given(SECRETS)
def test_also_as_json_and_in_a_url(secret: str):
    redact = redactor([secret])
    for spelled in (json.dumps({"key": secret}), f"https://x/?k={quote(secret, safe='')}"):
        assert REDACTED in redact(spelled)


@given(SECRETS, AROUND, AROUND)
def test_also_within_base64(secret: str, before: bytes, after: bytes):
    whole = before + secret.encode() + after
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        encoded = encode(whole).decode()
        shown = redactor([secret])(encoded)
        assert REDACTED in shown
        # What is left at the edges is not enough to know it by.
        removed = len(encoded) - len(shown) + len(REDACTED)
        assert removed >= len(secret) * 8 // 6 - 1


def test_tokens_are_known_by_their_shape():
    redact = redactor([])
    for token in (
        "ghp_" + "a1B2" * 9,
        "ghs_" + "x" * 36,
        "github_pat_" + "A_" * 30,
        "sk-or-v1-" + "0f" * 32,
        "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----",
    ):
        assert redact(f"before {token} after") == f"before {REDACTED} after"


def test_ordinary_text_stays():
    redact = redactor(["", "short"])
    text = "a short sk-1 test, ghp_ and a commit 0123456789abcdef0123456789abcdef01234567"
    assert len("short") < MIN_LENGTH
    assert redact(text) == text


def test_the_longest_first():
    assert redactor(["abcdefgh", "abcdefghijkl"])("abcdefghijkl") == REDACTED


KEY = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----[^\"]*?-----END [A-Z ]*PRIVATE KEY-----|in-the-way"
)
PIECES = st.sampled_from(
    [
        *("-----BEGIN PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----", "-----BEGIN "),
        *("-----END ", "PRIVATE KEY", "-----", "-", '"', "MIIE", "\\n", "A ", "in-the-way"),
    ]
)


@example("-----BEGIN PRIVATE KEY-----END PRIVATE KEY-----END PRIVATE KEY-----")
@given(st.lists(PIECES, max_size=14).map("".join))
def test_keys_are_found_as_one_pattern_would_find_them(text: str):
    assert redactor(["in-the-way"])(text) == KEY.sub(REDACTED, text)


@pytest.mark.parametrize(
    "piece",
    ["-----BEGIN PRIVATE KEY-----", "-----BEGIN ", "eyJ", "eyJhbGciOiJI.", '-----BEGIN X"', "ydk_"],
)
def test_time_grows_with_the_text_alone(piece: str):
    """Of what begins a thousand times and never ends; once, these took a minute."""
    redact = redactor(["a-known-secret"])
    long = piece * (1_000_000 // len(piece))
    before = time.process_time()
    redact(long)
    assert time.process_time() - before < 3


def test_signed_tokens_are_known_wherever_a_word_begins():
    token = "eyJhbGciOiJIUzI1NiJ9.eyJydW4iOiIxMjM0NTYifQ." + "s1gn-ature_" * 4
    redact = redactor([])
    for text in (f"KEY={token}", f"Bearer {token}", f"{token}\n", f'"{token}"'):
        assert redact(text) == text.replace(token, REDACTED)
        assert token not in redact(json.dumps({"a": f"first\n{text}"}))
    assert redact("eyJust.a.name, eyJhbGciOiJIUzI1NiJ9.short") == (
        "eyJust.a.name, eyJhbGciOiJIUzI1NiJ9.short"
    )
