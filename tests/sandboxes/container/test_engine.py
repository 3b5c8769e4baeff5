"""Finding an engine, and talking to it: what it says, what it does not, and for how long."""

import asyncio
import tracemalloc
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

import pytest

from tests.support.clouds.engine import FACTS, FakeEngine
from yudai.kit.causes import Cause
from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.container import engine as container_engine
from yudai.sandboxes.backends.container.engine import Engine, find_engine

DAEMON = "Cannot connect to the Docker daemon at unix:///x.sock. Is the docker daemon running?"
GIGABYTE = f"head -c {1 << 30} /dev/zero"
MUCH = f"head -c {1 << 27} /dev/zero"


def _shell(tmp_path: Path, script: str) -> Engine:
    program = tmp_path / "engine"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return Engine([str(program)])


async def _refused(wanted: str | None) -> str:
    with pytest.raises(SandboxError) as caught:
        await find_engine(wanted)
    assert caught.value.cause is Cause.SANDBOX_REFUSED
    assert "\n" not in str(caught.value)
    return str(caught.value)


async def test_podman_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    podman = FakeEngine.install(tmp_path / "p", "podman")
    docker = FakeEngine.install(tmp_path / "d", "docker")
    monkeypatch.setenv("PATH", f"{docker.program.parent}:{podman.program.parent}")
    engine = await find_engine(None)
    assert (engine.argv, engine.is_podman) == (("podman",), True)
    assert engine.facts == FACTS["podman"]
    podman.fail("info", "Error: no runtime")
    engine = await find_engine(None)
    assert (engine.argv, engine.is_podman) == (("docker",), False)


async def test_podman_under_dockers_name(tmp_path: Path) -> None:
    docker = FakeEngine.install(tmp_path, "docker")
    docker.say(FACTS["podman"])
    assert (await find_engine(str(docker.program))).is_podman


async def test_words_may_follow_the_program(tmp_path: Path) -> None:
    engine = FakeEngine.install(tmp_path, "podman")
    found = await find_engine(f"env LANG=C {engine.program}")
    assert found.argv == ("env", "LANG=C", str(engine.program))


async def test_none_is_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "install podman" in await _refused(None)


@pytest.mark.parametrize("wanted", ["/nowhere/podman --x", "'", " "])
async def test_one_that_is_not_there(wanted: str) -> None:
    assert "CONTAINER_ENGINE" in await _refused(wanted)


async def test_all_that_do_not_work_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    podman = FakeEngine.install(tmp_path / "p", "podman")
    docker = FakeEngine.install(tmp_path / "d", "docker")
    monkeypatch.setenv("PATH", f"{docker.program.parent}:{podman.program.parent}")
    podman.fail("info", 'warning\nError: exec: "newuidmap": executable file not found in $PATH')
    docker.fail("info", DAEMON, code=1, output="{}")
    said = await _refused(None)
    assert "podman does not work: Error: exec" in said
    assert "install uidmap" in said
    assert "docker does not work: Cannot connect" in said
    assert "start its daemon" in said


async def test_one_that_does_not_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(container_engine, "_ANSWER_S", 0.5)
    engine = FakeEngine.install(tmp_path, "podman")
    engine.hang("info")
    assert "podman does not answer within 0.5 s" in await _refused(str(engine.program))


async def test_an_answer_that_is_no_json(tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match="JSON"):
        await find_engine(_shell(tmp_path, "echo hello").argv[0])


async def test_it_is_called_where_it_may_leave_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    _shell(tmp_path, "pwd; touch oom")
    monkeypatch.chdir(tmp_path)
    engine = Engine(["./engine"]).called_in(home)
    assert (await engine.ask()).decode() == f"{home}\n"
    assert (home / "oom").exists()


async def test_what_it_says(tmp_path: Path) -> None:
    engine = _shell(tmp_path, 'cat; echo first >&2; printf "last %s\\n" "$2" >&2; exit 3')
    answer = await engine.call("a", "$(b) 'c", stdin=b"\x00\xff" * 100_000)
    assert answer == (3, b"\x00\xff" * 100_000, "last $(b) 'c")


@pytest.mark.parametrize(
    "advice", ["", "\n\nRun 'docker run --help' for more information", "\nSee 'docker run --help'."]
)
async def test_where_to_read_more_is_no_reason(tmp_path: Path, advice: str) -> None:
    engine = FakeEngine.install(tmp_path, "docker")
    engine.fail("rm", f"docker: Error response from daemon: No such container: x{advice}", code=1)
    answer = await Engine([str(engine.program)]).call("rm", "x")
    assert answer.error == "docker: Error response from daemon: No such container: x"
    assert answer.is_missing


async def test_advice_is_all_that_it_says(tmp_path: Path) -> None:
    answer = await _shell(tmp_path, "echo \"See 'docker run --help'\" >&2; exit 1").call()
    assert answer.error == ""


async def test_input_that_no_one_reads(tmp_path: Path) -> None:
    answer = await _shell(tmp_path, "exit 4").call(stdin=b"x" * (8 << 20))
    assert answer.code == 4


async def test_too_much_is_not_read_to_its_end(tmp_path: Path) -> None:
    began = monotonic()
    with pytest.raises(SandboxError, match="more than 1000000 bytes"):
        await _shell(tmp_path, "exec yes").call(max_bytes=1_000_000)
    assert monotonic() - began < 30


async def test_a_gigabyte_takes_no_more_memory_than_is_allowed(tmp_path: Path) -> None:
    with _bounded_memory():
        with pytest.raises(SandboxError, match="more than 1048576 bytes"):
            await _shell(tmp_path, f"exec {GIGABYTE}").call(max_bytes=1 << 20)
        answer = await _shell(tmp_path, f"exec {MUCH} >&2").call(max_bytes=1 << 20)
        assert (answer.code, answer.output) == (0, b"")


@contextmanager
def _bounded_memory() -> Generator[None]:
    tracemalloc.start()
    try:
        yield
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 8 << 20


async def test_of_errors_only_the_last_words_are_kept(tmp_path: Path) -> None:
    engine = _shell(tmp_path, "yes | head -c 3000000 >&2; echo end >&2; exit 1")
    assert (await engine.call(max_bytes=10)).error == "end"


async def test_no_end_in_time(tmp_path: Path) -> None:
    engine = _shell(tmp_path, "exec sleep 600")
    with pytest.raises(TimeoutError):
        await engine.call(timeout_s=0.2)
    with pytest.raises(SandboxError, match=r"x did not finish within 0\.2 s"):
        await engine.attempt("x", timeout_s=0.2)


async def test_cancelled_it_is_not_left_running(tmp_path: Path) -> None:
    engine = _shell(tmp_path, "echo $$; echo $$ >$1.new; mv $1.new $1; exec sleep 600")
    pid = tmp_path / "pid"
    task = asyncio.create_task(engine.call(str(pid)))
    while not pid.exists():  # noqa: ASYNC110 - a file has no event
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not Path(f"/proc/{pid.read_text().strip()}").exists()


async def test_one_that_cannot_be_started(tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match="cannot be started"):
        await Engine([str(tmp_path)]).call()


@pytest.mark.parametrize("dialect", ["podman", "docker"])
async def test_what_is_gone_is_left_out(tmp_path: Path, dialect: str) -> None:
    fake = FakeEngine.install(tmp_path, dialect, "one", "two")
    engine = Engine([str(fake.program)])
    ids = [str(fake.image(name)["Id"]) for name in ("one", "two")]
    found = await engine.inspect("image", "one", "gone", "two")
    assert [one["Id"] for one in found] == ids
    assert await engine.inspect("image", "gone") == []
    assert await engine.inspect("container") == []
    assert len(fake.calls("image")) == 2


async def test_an_engine_that_is_away_does_not_say_that_all_is_gone(tmp_path: Path) -> None:
    fake = FakeEngine.install(tmp_path, "docker", "one")
    fake.fail("image-inspect", DAEMON, code=1, output="[]\n")
    with pytest.raises(SandboxError, match="Cannot connect"):
        await Engine([str(fake.program)]).inspect("image", "one")
