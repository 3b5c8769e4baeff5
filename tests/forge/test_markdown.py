"""Hostile words in Markdown, read by a real parser of it."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from yudai.forge.domain.markdown import JOINER, code_span, fence, md, plain, visible

_READER = MarkdownIt("gfm-like", {"html": True, "linkify": True})
assert _READER.linkify is not None
# No forge makes a link of what begins so.
_READER.linkify.add("//", None)
_HOSTILE = st.one_of(
    st.text(max_size=60),
    st.lists(
        st.sampled_from(
            [
                *"`*_[]()<>#@|\\~!-+.=$&:; \n\t\"'",
                "```",
                "<!-- yudai:solve=1 -->",
                "<img src=x>",
                "https://evil.example/?a|b`c",
                "www.evil.example",
                "a@b.example",
                "mailto:a@b.example",
                "fixes",
                "GH-12",
                "owner/repo",
                "12",
                "\u202e",
                "\u200b",
                "\x1b[31m",
                "1.",
                "word",
                "&lt;",
                "![x](y)",
            ]
        ),
        max_size=25,
    ).map("".join),
)


def _inline(markdown: str) -> list[Token]:
    [opened, inline, closed] = _READER.parse(markdown)
    assert (opened.type, closed.type) == ("paragraph_open", "paragraph_close")
    return inline.children or []


def _read(markdown: str) -> str:
    """What a person sees; anything but words and code is an error."""
    tokens = _inline(markdown) if markdown else []
    assert {token.type for token in tokens} <= {"text", "text_special", "code_inline"}
    return "".join(token.content for token in tokens).replace(JOINER, "")


def _percent(text: str) -> str:
    for sign, code in (("|", "%7C"), ("\\", "%5C"), ("`", "%60"), ("<", "%3C"), (">", "%3E")):
        text = text.replace(sign, code)
    return text


@given(_HOSTILE)
def test_it_reads_as_it_was_written_and_does_nothing(text: str):
    assert _percent(_read(md(text))) == _percent(visible(text))


@given(_HOSTILE)
def test_nothing_unseen_is_left_but_our_own_joiner(text: str):
    for made in (md(text), plain(text), code_span(text), visible(text)):
        assert "\n" not in made
        unseen = {c for c in made if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")}
        assert unseen <= {JOINER}


@given(_HOSTILE)
def test_no_one_is_called_and_no_issue_is_named(text: str):
    shown = "".join(token.content for token in _words(md(text)))
    for made in (shown, plain(text)):
        for sign in "@#":
            assert made.count(sign) == made.count(sign + JOINER)
        assert "GH-1" not in made
    assert "<!--" not in plain(text)


def _words(markdown: str) -> list[Token]:
    found = _inline(markdown) if markdown else []
    return [token for token in found if token.type != "code_inline"]


@given(_HOSTILE)
def test_a_code_span_is_one_code_span(text: str):
    span = code_span(text)
    if not visible(text):
        assert span == ""
        return
    [token] = _inline(f"before {span} after")[1:-1]
    assert token.type == "code_inline"
    assert token.content.replace(JOINER, "") == visible(text)
    assert "<!--" not in span


@given(_HOSTILE)
def test_a_fence_is_one_block(text: str):
    [block] = _READER.parse(fence(text, language="diff"))
    assert (block.type, block.info) == ("fence", "diff")
    assert "<!--" not in block.content


@given(st.lists(_HOSTILE, min_size=1, max_size=4))
def test_a_table_keeps_its_cells(cells: list[str]):
    table = "| a |\n| --- |\n" + "".join(f"| {md(cell)} |\n" for cell in cells)
    tokens = _READER.parse(table)
    assert tokens[0].type == "table_open"
    assert tokens[-1].type == "table_close"
    assert sum(token.type == "tr_open" for token in tokens) == 1 + len(cells)
    assert sum(token.type == "td_open" for token in tokens) == len(cells)


@given(st.text(max_size=2000), st.integers(min_value=1, max_value=50))
def test_length_is_capped(text: str, limit: int):
    assert len(visible(text, limit=limit)) <= limit


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("| a | b", r"\| a \| b"),
        ("<!-- yudai:solve=1 -->", r"&lt;\!\-\- yudai:solve\=1 \-\-&gt;"),
        ("@octocat fixes #12", f"@{JOINER}octocat fix{JOINER}es \\#{JOINER}12"),
        ("Closes: owner/repo#1", f"Clos{JOINER}es: owner/repo\\#{JOINER}1"),
        ("resolved GH-7", f"resolv{JOINER}ed GH\\-{JOINER}7"),
        ("it fixes", f"it fix{JOINER}es"),
        ("fixes https://x.example/1", f"fix{JOINER}es `https://x.example/1`"),
        ("fixes the prefix", "fixes the prefix"),
        ("mailto:a@b.example now", "`mailto:a@b.example` now"),
        ("see www.evil.example/a|b", "see `www.evil.example/a%7Cb`"),
        ("[x](javascript:1)", r"\[x\]\(javascript:1\)"),
        ("a\u202ebc\x1b[31m\u200b\U000e0041", "abc"),
        ("\u3164\ufe0f", ""),
        ("one\r\ntwo\u2028three", "one two three"),
    ],
)
def test_examples(text: str, shown: str):
    assert md(text) == shown


def test_a_title_stays_searchable_and_keeps_no_check_away():
    assert plain("Fix add() when b is 0") == "Fix add() when b is 0"
    assert plain("x [skip ci]") == f"x [{JOINER}skip ci]"
    assert plain("fixes https://x.example/issues/1") == (
        f"fix{JOINER}es https:{JOINER}//x.example/issues/1"
    )
    assert plain("<!-- a -->") == f"<{JOINER}!-- a -->"


def test_a_fence_keeps_lines_and_says_that_it_was_cut():
    assert fence("a\r\n\tb") == "```\na\n\tb\n```"
    assert fence("````") == "`````\n````\n`````"
    assert fence("abcdef", limit=3) == "```\nabc…\n```"
    with pytest.raises(ValueError, match="no language"):
        fence("x", language="a b")
