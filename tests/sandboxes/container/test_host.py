"""Podman's filter, made stricter: a list of what is allowed stays one."""

from itertools import chain
from typing import Any

import pytest

from yudai.sandboxes.backends.container.host import stricter

LOOSE: dict[str, Any] = {
    "defaultAction": "SCMP_ACT_ERRNO",
    "defaultErrnoRet": 38,
    "archMap": [{"architecture": "SCMP_ARCH_X86_64"}],
    "syscalls": [
        {"names": ["read", "clone", "clone3", "keyctl", "mount"], "action": "SCMP_ACT_ALLOW"},
        {"names": ["socket"], "action": "SCMP_ACT_ALLOW", "args": [{"index": 0, "value": 16}]},
        {"names": ["bpf"], "action": "SCMP_ACT_ALLOW", "includes": {"caps": ["CAP_SYS_ADMIN"]}},
        {"names": ["write"], "action": "SCMP_ACT_ALLOW"},
    ],
}


def _rules(profile: dict[str, Any], call: str) -> list[dict[str, Any]]:
    return [rule for rule in profile["syscalls"] if call in rule["names"]]


def test_what_is_not_ours_stays() -> None:
    made = stricter(LOOSE)
    assert made is not None
    assert made["archMap"] == LOOSE["archMap"]
    assert made["defaultAction"] == "SCMP_ACT_ERRNO"
    assert [rule["action"] for call in ("read", "write") for rule in _rules(made, call)] == [
        "SCMP_ACT_ALLOW"
    ] * 2
    assert all(rule["names"] for rule in made["syscalls"])


@pytest.mark.parametrize("call", ["keyctl", "mount", "bpf", "setns", "userfaultfd", "open_tree"])
def test_denied(call: str) -> None:
    [rule] = _rules(stricter(LOOSE) or {}, call)
    assert (rule["action"], rule["errnoRet"]) == ("SCMP_ACT_ERRNO", 1)
    assert "args" not in rule


@pytest.mark.parametrize("call", ["clone3", "io_uring_setup", "socketcall"])
def test_as_if_the_kernel_did_not_have_it(call: str) -> None:
    [rule] = _rules(stricter(LOOSE) or {}, call)
    assert (rule["action"], rule["errnoRet"]) == ("SCMP_ACT_ERRNO", 38)


@pytest.mark.parametrize("call", ["clone", "unshare"])
def test_no_user_namespace(call: str) -> None:
    [rule] = _rules(stricter(LOOSE) or {}, call)
    [argument] = rule["args"]
    assert rule["action"] == "SCMP_ACT_ALLOW"
    assert (argument["index"], argument["op"]) == (0, "SCMP_CMP_MASKED_EQ")
    assert (argument["value"], argument["valueTwo"]) == (0x10000000, 0)


def test_no_socket_to_whatever_runs_this_machine() -> None:
    rules = _rules(stricter(LOOSE) or {}, "socket")
    arguments = list(chain.from_iterable(rule["args"] for rule in rules))
    assert {rule["action"] for rule in rules} == {"SCMP_ACT_ALLOW"}
    assert {(a["index"], a["op"], a["value"]) for a in arguments} == {
        (0, "SCMP_CMP_LT", 40),
        (0, "SCMP_CMP_GT", 40),
    }


@pytest.mark.parametrize("profile", [{}, {"defaultAction": "SCMP_ACT_ALLOW", "syscalls": []}])
def test_no_list_of_what_is_allowed(profile: dict[str, Any]) -> None:
    assert stricter(profile) is None
