"""The demo with its page, ended early or without a sandbox; test_demo.py sees a whole solve."""

import json
from pathlib import Path

import pytest

from tests.e2e.support.demo_page import started, yudai
from tests.e2e.support.leftovers import NOTHING, leftovers

NO_NAMESPACES = (
    *("unshare", "--user", "--map-root-user", "sh", "-c"),
    'echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"',
    "sh",
)


@pytest.mark.real
def test_ctrl_c_during_the_solve_ends_it_for_good(tmp_path: Path):
    with started(tmp_path) as demo:
        demo.wait_for("base.prepared")
        assert demo.interrupt() == (130, "")
    assert leftovers(tmp_path / "yudai") == NOTHING
    saved = json.loads(yudai(tmp_path, "show", "--json").stdout)
    assert saved["solve"]["state"] == "cancelled"


def test_without_a_sandbox_only_the_demo_runs(tmp_path: Path):
    with started(tmp_path, within=NO_NAMESPACES) as demo:
        assert "No sandbox on this machine" in demo.said.read_text()
        ask = {"repo_path": str(tmp_path), "issue_text": "x", "matrix": {"models": ["gpt-4.1"]}}
        for path in ("/api/solves", "/solve", "/api/forecasts"):
            refused = demo.http.post(path, json=ask)
            assert (refused.status_code, refused.json()["code"]) == (422, "refused")
            assert "only the demo" in refused.json()["detail"]
        demo.wait_for("base.prepared")
        assert demo.interrupt()[0] == 130
    assert leftovers(tmp_path / "yudai") == NOTHING
