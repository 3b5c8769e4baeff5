"""Exit codes and one-line errors."""

import signal

import pytest

from yudai.cli import main
from yudai.kit.causes import Cause
from yudai.kit.errors import RefusedError, SandboxError


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
    assert main.run(["--version"]) == 0
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


def test_a_number_without_a_command_shows_the_help_as_it_is(capsys):
    assert main.run([]) == 4
    assert capsys.readouterr().err.count("\n") > 5


@pytest.mark.parametrize("arguments", [["--diff", "--log"], ["--diff", "--json"]])
def test_two_views_at_once_are_refused(arguments: list[str], capsys):
    assert main.run(["show", *arguments]) == 4
    assert "choose one" in capsys.readouterr().err


def test_what_is_not_text_is_an_unknown_id(capsys):
    assert main.run(["show", "\udcff\udcfe\udcff\udcff"]) == 4
    assert "there are no solves" in capsys.readouterr().err


@pytest.mark.parametrize("url", ["foo", "mysql://x", "postgresql+asyncpg://x"])
def test_a_database_that_is_not_supported_is_refused(url: str, monkeypatch, capsys):
    monkeypatch.setenv("DATABASE_URL", url)
    assert main.run(["list"]) == 4
    assert "DATABASE_URL" in capsys.readouterr().err


def test_the_home_is_the_users_data_folder_by_default(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("YUDAI_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    assert main.run(["list"]) == 0
    assert [path.name for path in tmp_path.iterdir()] == [".local"]
    assert (tmp_path / ".local/share/yudai/yudai.db").exists()


def test_a_tilde_in_the_home_is_the_users_folder(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("YUDAI_HOME", "~/state")
    assert main.run(["list"]) == 0
    assert (tmp_path / "state" / "yudai.db").exists()


def test_a_fault_of_ours_is_one_line_and_its_place_only_when_asked(monkeypatch, capsys):
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("oh no")

    monkeypatch.setattr("yudai.cli.show.show.run_list", broken)
    assert main.run(["list"]) == 1
    assert capsys.readouterr().err.count("\n") == 1
    assert main.run(["--verbose", "list"]) == 1
    assert "in broken" in capsys.readouterr().err


def test_doctor_explains_a_home_that_cannot_be_used(tmp_path, monkeypatch, capsys):
    (tmp_path / "file").write_text("")
    home = tmp_path / "file" / ("long" * 30)
    monkeypatch.setenv("YUDAI_HOME", str(home))
    assert main.run(["doctor"]) == 4
    lines = capsys.readouterr().out.splitlines()
    # Whoever reads it from a pipe gets each finding in one line.
    [line] = [line for line in lines if line.startswith(f"✗ home: {home}: ")]
    assert "set YUDAI_HOME" in line


def test_an_unknown_reducer_is_refused_before_anything_runs(capsys):
    assert main.run(["demo", "--reducer", "best"]) == 4
    assert "simple" in capsys.readouterr().err


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


@pytest.mark.parametrize("phase", ["SETUP", "AGENT", "VERIFICATION"])
@pytest.mark.parametrize("backend", ["bubblewrap", "e2b"])
def test_what_is_no_host_names_its_setting(phase: str, backend: str, monkeypatch, capsys):
    monkeypatch.setenv("SANDBOX_BACKEND", backend)
    monkeypatch.setenv(f"SANDBOX_{phase}_HOSTS", "pypi.org, https://pypi.org/simple")
    assert main.run(["list"]) == 4
    assert capsys.readouterr().err == (
        f"yudai: SANDBOX_{phase}_HOSTS: `https://pypi.org/simple` is not a host:"
        " write the host alone: `pypi.org`\n"
    )


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (RefusedError("do this\ninstead"), 4),
        (SandboxError("no sandbox"), 1),
        (SandboxError("a wrong key", cause=Cause.SANDBOX_REFUSED), 4),
    ],
)
def test_our_errors_become_one_line(error: Exception, code: int, monkeypatch, capsys):
    def broken(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("yudai.cli.show.show.run_list", broken)
    assert main.run(["list"]) == code
    assert capsys.readouterr().err == f"yudai: {' '.join(str(error).split())}\n"


def test_what_others_wrote_cannot_drive_the_terminal(monkeypatch, capsys):
    def broken(*_: object, **__: object) -> None:
        raise RefusedError("there is no key \x1b]0;owned\x07\x1b[2J")

    monkeypatch.setattr("yudai.cli.show.show.run_list", broken)
    assert main.run(["list"]) == 4
    said = capsys.readouterr().err
    assert "there is no key" in said
    assert "\x1b" not in said


def test_ctrl_c_is_130(monkeypatch):
    def interrupted(_: list[str]) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(main, "run", interrupted)
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(SystemExit) as end:
        main.main()
    assert end.value.code == 130
    assert signal.signal(signal.SIGINT, before) is signal.SIG_IGN
