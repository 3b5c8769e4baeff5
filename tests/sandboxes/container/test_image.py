"""The image that deploy/sandbox builds: its agent is the warden's, and nothing in it is loose."""

import re
from pathlib import Path

import pytest

from yudai.sandboxes.backends.warden.protocol import AGENT_HOME, AGENT_ID, FOLDER
from yudai.sandboxes.port import ENV, WORKSPACE

FILE = Path(__file__).parents[3] / "deploy" / "sandbox" / "Containerfile"


@pytest.fixture
def lines() -> list[str]:
    text = FILE.read_text().replace("\\\n", " ")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def test_what_it_is_made_of_has_versions(lines: list[str]) -> None:
    [base] = [line for line in lines if line.startswith("FROM ")]
    assert re.fullmatch(r"FROM docker\.io/library/python:3\.\d+-slim-\w+", base)
    for package in ("uv", "pytest"):
        assert re.search(rf"\b{package}==\d+\.\d+\.\d+", "\n".join(lines))


def test_the_agent_is_the_wardens(lines: list[str]) -> None:
    [users] = [line for line in lines if "useradd" in line]
    assert f"groupadd --gid {AGENT_ID} agent" in users
    assert f"useradd --uid {AGENT_ID} --gid {AGENT_ID} --create-home" in users
    assert AGENT_HOME == "/home/agent"
    assert f"mkdir -m 755 {WORKSPACE}" in users
    assert f"mkdir -m 700 {FOLDER}" in users
    assert any(f"uv venv --quiet --python /usr/local/bin/python3 {ENV}" in line for line in lines)


def test_nothing_of_ours_and_no_volume_is_in_it(lines: list[str]) -> None:
    """What an engine keeps of a base is without its volumes."""
    assert {line.split()[0] for line in lines} == {"FROM", "RUN"}


def test_no_program_in_it_makes_anybody_root(lines: list[str]) -> None:
    assert lines[-1] == "RUN find / -xdev -type f -perm /6000 -exec chmod a-s {} +"
