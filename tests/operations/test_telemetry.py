"""Logging goes to standard error as it is at that moment, and never stops the work."""

import json
import sys

import pytest
import structlog

from yudai.operations import telemetry


def test_a_log_line_is_json_on_standard_error(capsys: pytest.CaptureFixture[str]):
    telemetry.set_up(verbose=True)
    structlog.get_logger().info("run.started", run_id="r")
    captured = capsys.readouterr()
    line = json.loads(captured.err)
    assert (captured.out, line["event"], line["run_id"]) == ("", "run.started", "r")


def test_only_warnings_unless_verbose(capsys: pytest.CaptureFixture[str]):
    telemetry.set_up()
    structlog.get_logger().info("run.started")
    structlog.get_logger().warning("sandbox.slow")
    assert capsys.readouterr().err.count("\n") == 1


def test_a_closed_standard_error_stops_no_one(monkeypatch: pytest.MonkeyPatch):
    telemetry.set_up()
    monkeypatch.setattr(sys, "stderr", None)
    structlog.get_logger().error("lost")


def test_secrets_are_shown_by_no_line(capsys: pytest.CaptureFixture[str]):
    telemetry.set_up(verbose=True)
    logger = structlog.get_logger()
    telemetry.hide(["correct horse battery"])
    logger.info("forge.asked", header="Bearer correct horse battery", token="ghp_" + "a" * 36)
    logger.error("broke", exc_info=RuntimeError("it was correct horse battery"))
    shown = capsys.readouterr().err
    assert shown.count("[redacted]") == 3
    assert "correct horse" not in shown
    assert "ghp_" not in shown
