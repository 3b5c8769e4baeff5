"""Small values: ids, usage, issue, causes."""

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from yudai.forge.domain.issue import Issue, from_markdown
from yudai.gateway.domain.models import Usage
from yudai.kit.causes import POLICIES, Cause
from yudai.kit.errors import GatewayError, SandboxError, YudaiError
from yudai.kit.ids import short, uuid7


@given(st.integers(0, 2**48 - 1), st.integers(0, 2**74 - 1))
def test_an_id_is_a_version_7_uuid_that_carries_its_time(unix_ms: int, entropy: int):
    made = UUID(uuid7(unix_ms=unix_ms, entropy=entropy))
    assert made.version == 7
    assert made.variant == "specified in RFC 4122"
    assert made.int >> 80 == unix_ms


@given(st.integers(0, 2**40), st.integers(0, 2**74 - 1), st.integers(0, 2**74 - 1))
def test_ids_sort_by_time(unix_ms: int, one: int, two: int):
    earlier, later = uuid7(unix_ms=unix_ms, entropy=one), uuid7(unix_ms=unix_ms + 1, entropy=two)
    assert earlier < later
    assert short(later) == later[-8:]


def test_usage_adds_up():
    one = Usage(input_tokens=1, cached_tokens=2, output_tokens=3, cost_micros=4)
    assert one + one == Usage(input_tokens=2, cached_tokens=4, output_tokens=6, cost_micros=8)


def test_an_issue_from_markdown():
    issue = from_markdown("\n# Totals are wrong \n\nThey are.\n")
    assert issue == Issue(title="Totals are wrong", body="They are.")
    assert issue.label == "Totals are wrong"
    assert Issue(title="x", number=12).label == "#12 x"


def test_an_issue_without_a_word_is_refused():
    with pytest.raises(ValidationError):
        from_markdown(" \n ")


def test_every_cause_has_a_policy_and_only_the_world_is_retried():
    assert set(POLICIES) == set(Cause)
    assert all(policy.who == "world" for policy in POLICIES.values() if policy.retry == "retry")
    assert all(policy.message for policy in POLICIES.values())


@pytest.mark.parametrize("error", [SandboxError("x"), GatewayError("x")])
def test_the_worlds_errors_carry_a_cause(error: YudaiError):
    assert getattr(error, "cause", None) in Cause
    assert str(error) == "x"
