"""Patches in a request: one of each kind, bounded, and named field by field when they are wrong."""

import base64
from typing import Any

import pytest
from pydantic import ValidationError

from yudai.solves.domain.asked_patch import MAX_PATCHES, MAX_TOTAL, AskedPatch, contestants_of
from yudai.solves.domain.request import SolveAsk

DIFF = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"


def ask(*patches: dict[str, Any], **more: Any) -> SolveAsk:
    body = {"repo_path": "/r", "issue_text": "x is wrong", "patches": list(patches)} | more
    return SolveAsk.model_validate(body)


def field_of(*patches: dict[str, Any], **more: Any) -> str:
    """As the API names it."""
    with pytest.raises(ValidationError) as refused:
        ask(*patches, **more)
    first = refused.value.errors()[0]
    named = first.get("ctx", {}).get("field")
    return ".".join(map(str, (*first["loc"], *([named] if named else []))))


def test_a_request_of_patches_needs_no_matrix():
    asked = ask({"patch": DIFF}, {"branch": "fix"})
    assert asked.matrix.models == ()
    assert [one.handle for one in contestants_of(asked.patches)] == ["patch", "fix"]


@pytest.mark.parametrize("more", [{}, {"matrix": {}}, {"matrix": {"models": []}}])
def test_without_patches_it_needs_models(more: dict[str, Any]):
    assert field_of(**more) == "matrix.models"


@pytest.mark.parametrize(
    ("patch", "handle"),
    [
        ({"patch": DIFF, "handle": " codex "}, "codex"),
        ({"patch": DIFF}, "patch"),
        ({"branch": "fix/leap"}, "fix/leap"),
        ({"commit": "0123456789abcdef0123456789abcdef01234567"}, "0123456789ab"),
        ({"pull": 12}, "pull-12"),
        ({"branch": "b" * 300}, "b" * 100),
    ],
)
def test_each_has_a_name(patch: dict[str, Any], handle: str):
    assert AskedPatch.model_validate(patch).contestant.handle == handle


def test_bytes_that_are_no_text_come_as_base64():
    content = DIFF.encode().replace(b"+b", b"+caf\xe9")
    asked = AskedPatch(patch_base64=base64.b64encode(content).decode())
    assert asked.content == content


@pytest.mark.parametrize(
    ("patch", "field"),
    [
        ({}, "patch"),
        ({"patch": ""}, "patch"),
        ({"patch": DIFF, "branch": "fix"}, "patch"),
        ({"patch": "please fix it"}, "patch"),
        ({"patch_base64": "?"}, "patch_base64"),
        ({"patch_base64": base64.b64encode(b"no patch").decode()}, "patch_base64"),
        ({"pull": 0}, "pull"),
        ({"pull": "3"}, "pull"),
        ({"commit": "HEAD"}, "commit"),
        ({"commit": "--output=x"}, "commit"),
        ({"branch": "a\nb"}, "branch"),
        ({"patch": DIFF, "handle": "a\0"}, "handle"),
        ({"patch": DIFF, "author": "a" * 201}, "author"),
    ],
)
def test_what_is_wrong_is_named_by_its_field(patch: dict[str, Any], field: str):
    good = {"patch": DIFF}
    assert field_of(good, good, good, patch) == f"patches.3.{field}"


def test_too_many_and_too_large():
    assert field_of(*[{"patch": DIFF}] * (MAX_PATCHES + 1)) == "patches"
    half = {"patch": DIFF + "x" * (MAX_TOTAL // 2)}
    assert len(ask(half).patches) == 1
    assert field_of(half, {"patch": DIFF}, half) == "patches.2.patch"
    assert field_of({"patch": DIFF + "x" * MAX_TOTAL}) == "patches.0.patch"


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_plain_diff_is_a_patch(ending: str):
    text = ending.join(["--- x.orig", "+++ x", "@@ -1 +1 @@", "-a", "+b", ""])
    assert AskedPatch(patch=text).is_text
