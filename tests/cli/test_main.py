"""Exit codes and one-line errors."""

import pytest

from yudai.cli import main
from yudai.domain.errors import RefusedError, SandboxError


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("YUDAI_HOME", str(tmp_path / "home"))


@pytest.mark.parametrize(
    "arguments",
    [["nonsense"], ["demo", "--nonsense"], ["demo", "--parallel", "0"], ["list", "--limit", "x"]],
)
def test_a_usage_error_is_one_line_and_exit_4(arguments: list[str], capsys):
    assert main.run(arguments) == 4
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("yudai: ")
    assert captured.err.count("\n") == 1


def test_help_is_not_an_error(capsys):
    assert main.run(["--help"]) == 0
    out = capsys.readouterr().out
    assert all(command in out for command in ("demo", "show", "list", "doctor", "bench"))


def test_version(capsys):
    assert main.run(["version"]) == 0
    assert capsys.readouterr().out == "0.1.0\n"


def test_an_empty_home_lists_nothing_and_says_how_to_start(capsys):
    assert main.run(["list"]) == 0
    assert "yudai demo" in capsys.readouterr().out
    assert main.run(["list", "--json"]) == 0
    assert capsys.readouterr().out == "[]\n"


def test_showing_nothing_says_what_to_do(capsys):
    assert main.run(["show"]) == 4
    assert "yudai demo" in capsys.readouterr().err
    assert main.run(["show", "ffff"]) == 4
    assert main.run(["show", "ff"]) == 4


def test_an_unknown_sandbox_is_refused_with_the_choice(capsys):
    assert main.run(["demo", "--sandbox", "docker"]) == 4
    assert "bubblewrap or process" in capsys.readouterr().err


def test_a_home_that_cannot_be_written_is_refused(tmp_path, monkeypatch, capsys):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("YUDAI_HOME", str(tmp_path / "file" / "home"))
    assert main.run(["list"]) == 4
    assert "YUDAI_HOME" in capsys.readouterr().err


def test_a_bad_setting_names_its_variable(monkeypatch, capsys):
    monkeypatch.setenv("SOLVER_TIME_BUDGET_SECONDS", "soon")
    assert main.run(["list"]) == 4
    captured = capsys.readouterr()
    assert "SOLVER_TIME_BUDGET_SECONDS" in captured.err
    assert captured.err.count("\n") == 1


@pytest.mark.parametrize(
    ("error", "code"),
    [(RefusedError("do this\ninstead"), 4), (SandboxError("no sandbox"), 1)],
)
def test_our_errors_become_one_line(error: Exception, code: int, monkeypatch, capsys):
    def broken(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("yudai.cli.show.run_list", broken)
    assert main.run(["list"]) == code
    assert capsys.readouterr().err == f"yudai: {' '.join(str(error).split())}\n"


def test_ctrl_c_is_130(monkeypatch):
    def interrupted(_: list[str]) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(main, "run", interrupted)
    with pytest.raises(SystemExit) as end:
        main.main()
    assert end.value.code == 130
