"""Commands: what every sandbox backend promises of them."""

import asyncio
import resource
import sys
from pathlib import Path

import pytest

from tests.contracts.conftest import Promises, alive, spawn_one, unique_sleep, until
from tests.support.clouds.vm import seen_at
from yudai.kit.errors import SandboxError
from yudai.sandboxes.port import Backend, BaseRef, Sandbox

# Prime has the warden of e2b, which is what these tests look at; `always` shows the way to it.
pytestmark = pytest.mark.real_on("prime")


@pytest.mark.always
async def test_a_command_has_output_and_a_status(sandbox: Sandbox):
    result = await sandbox.exec("echo out; echo err >&2; exit 3")

    assert (result.exit_code, result.output) == (3, b"out\nerr\n")
    flags = (result.truncated, result.timed_out, result.oom, result.disk_full)
    assert flags == (False, False, False, False)
    assert result.duration_s > 0


async def test_it_starts_in_the_workspace_with_the_base_in_it(sandbox: Sandbox):
    assert (await sandbox.exec("cat src/app.py && ./tool.sh")).text.endswith("return 41\ntool\n")


async def test_git_works_there_and_knows_one_commit(sandbox: Sandbox):
    result = await sandbox.exec("git status --porcelain && git log --format=%an%n%s && git remote")

    assert result.text == "Yudai\nBase\n"


async def test_an_agent_can_commit(sandbox: Sandbox):
    result = await sandbox.exec(
        "echo x >>README.md && git commit -qam change && git log --format=%s"
    )

    assert result.text == "change\nBase\n"


async def test_the_environments_python_comes_first(backend: Backend, sandbox: Sandbox):
    env = Path(sys.prefix)
    if seen_at(env) != env and (await backend.capabilities()).backend in ("e2b", "prime"):
        pytest.skip("programs of an environment below /tmp are elsewhere in a fake machine")

    result = await sandbox.exec(
        'python -c "import sys, pytest; print(sys.prefix)"; pytest --version'
    )

    assert result.exit_code == 0, result.text


async def test_the_working_folder_can_be_chosen(sandbox: Sandbox):
    assert (await sandbox.exec("ls", cwd="/workspace/src/deep")).text == "one.py\ntwo.py\n"
    assert (await sandbox.exec("ls", cwd="src/deep")).text == "one.py\ntwo.py\n"


async def test_a_missing_working_folder_is_a_result(sandbox: Sandbox):
    result = await sandbox.exec("echo never", cwd="/workspace/none")

    assert result.exit_code == 126
    assert "none" in result.text
    assert "never" not in result.text


async def test_variables_reach_the_command_whatever_they_hold(sandbox: Sandbox):
    value = "a 'quoted' \"$HOME\" `x` \\ ; line\nbreak"

    result = await sandbox.exec('printf %s "$VALUE"', env={"VALUE": value})

    assert result.text == value


async def test_a_name_that_is_no_variable_is_refused(sandbox: Sandbox):
    with pytest.raises(ValueError, match="environment variable"):
        await sandbox.exec("true", env={"A; rm -rf /": "x"})


async def test_commands_share_files_but_no_shell_state(sandbox: Sandbox):
    await sandbox.exec("echo kept >new; cd /; export A=1")

    assert (await sandbox.exec("echo [$A]; pwd -P | grep -c workspace; cat new")).text == (
        "[]\n1\nkept\n"
    )


@pytest.mark.always
async def test_standard_input_is_what_was_given(sandbox: Sandbox):
    content = bytes(range(256)) * 10_000

    result = await sandbox.exec("cat", stdin=content, max_output=len(content))

    assert result.output == content


async def test_without_input_a_reader_sees_the_end(sandbox: Sandbox):
    assert (await sandbox.exec("cat; echo done", timeout_s=20)).text == "done\n"


async def test_bytes_that_are_no_text(sandbox: Sandbox):
    result = await sandbox.exec(r"printf 'a\377\376\0b'")

    assert result.output == b"a\xff\xfe\x00b"
    assert result.text == "a\ufffd\ufffd\ufffdb"


async def test_a_command_with_a_nul_byte_is_refused_as_a_result(sandbox: Sandbox):
    result = await sandbox.exec("echo a\0b")

    assert result.exit_code == 126
    assert "NUL" in result.text
    assert (await sandbox.exec("echo fine")).text == "fine\n"


async def test_a_command_with_lone_surrogates_runs(sandbox: Sandbox):
    assert (await sandbox.exec("echo '\ud83d' | wc -l")).text.strip() == "1"


async def test_a_command_of_a_megabyte(sandbox: Sandbox):
    result = await sandbox.exec(f"x='{'y' * 1_000_000}'; echo ${{#x}}")

    assert result.text == "1000000\n"


async def test_line_numbers_in_messages_are_those_of_the_command(sandbox: Sandbox):
    assert "line 2:" in (await sandbox.exec("true\nno-such-command", env={"A": "1"})).text


async def test_signals_are_as_in_a_terminal(sandbox: Sandbox):
    program = "import os, signal; os.kill(os.getpid(), signal.SIGINT)"

    assert "KeyboardInterrupt" in (await sandbox.exec(f'python -c "{program}"')).text


async def test_a_shell_that_kills_itself(sandbox: Sandbox):
    assert (await sandbox.exec("kill -9 $$")).exit_code == 137
    assert (await sandbox.exec("echo fine")).text == "fine\n"


@pytest.mark.parametrize(
    "command",
    [
        pytest.param("sleep {s} & echo ok", id="holds the output"),
        pytest.param("setsid sleep {s} & echo ok", id="own session"),
        pytest.param("nohup sleep {s} >/dev/null 2>&1 & echo ok", id="nohup"),
        pytest.param("(sleep {s} &); (setsid sleep {s} &); echo ok", id="double fork"),
        pytest.param("(trap '' TERM HUP INT; setsid sleep {s} &) & echo ok", id="ignores signals"),
    ],
)
@pytest.mark.always
async def test_nothing_survives_a_command(sandbox: Sandbox, command: str):
    seconds = unique_sleep()

    result = await sandbox.exec(command.format(s=seconds), timeout_s=30)

    assert (result.exit_code, result.text, result.timed_out) == (0, "ok\n", False)
    assert alive(seconds) == []


async def test_not_even_what_hides_its_descent(sandbox: Sandbox, promises: Promises):
    if not await promises("processes"):
        return
    seconds = unique_sleep()

    await sandbox.exec(f"(env -i setsid sleep {seconds} >/dev/null 2>&1 &); sleep 0.1")

    assert alive(seconds) == []


@pytest.mark.always
async def test_a_timeout_is_a_result_with_the_output_so_far(sandbox: Sandbox):
    seconds = unique_sleep()

    result = await sandbox.exec(
        f"echo begun; setsid sleep {seconds} & sleep {seconds}", timeout_s=0.5
    )

    assert (result.exit_code, result.output, result.timed_out) == (124, b"begun\n", True)
    assert alive(seconds) == []
    assert (await sandbox.exec("echo next")).text == "next\n"


async def test_a_stopped_command_times_out_too(sandbox: Sandbox):
    assert (await sandbox.exec("kill -STOP $$", timeout_s=0.3)).timed_out
    assert (await sandbox.exec("echo next")).text == "next\n"


async def test_a_flood_is_cut_while_it_is_read(sandbox: Sandbox):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    result = await sandbox.exec("yes 0123456789", timeout_s=1.0, max_output=100_000)

    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert result.timed_out
    assert result.truncated
    assert 90_000 < len(result.output) <= 100_000
    assert result.output.startswith(b"0123456789\n")
    assert b"bytes dropped" in result.output
    assert grown < 64 * 1024


async def test_head_and_tail_of_long_output_are_kept(sandbox: Sandbox):
    result = await sandbox.exec("echo first; seq 100000; echo last", max_output=1000)

    assert result.exit_code == 0
    assert result.truncated
    assert len(result.output) <= 1000
    assert result.text.startswith("first\n1\n")
    assert result.text.endswith("\nlast\n")


async def test_a_command_that_makes_its_output_non_blocking_spoils_nothing(sandbox: Sandbox):
    program = "import os; os.set_blocking(1, False); os.set_blocking(2, False)"
    await sandbox.exec(f'python -c "{program}"')

    result = await sandbox.exec("seq 200000", max_output=10_000_000)

    assert result.exit_code == 0
    assert result.text.endswith("200000\n")


@pytest.mark.always
async def test_a_cancelled_command_is_dead_and_the_next_one_gets_its_own_answer(sandbox: Sandbox):
    seconds = unique_sleep()
    running = asyncio.create_task(
        sandbox.exec(f"echo old; setsid sleep {seconds} & sleep {seconds}")
    )
    await until(lambda: alive(seconds))

    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    assert alive(seconds) == []
    result = await sandbox.exec("echo new; exit 5")
    assert (result.exit_code, result.output) == (5, b"new\n")


async def test_cancelled_twice_nothing_is_left_either(sandbox: Sandbox):
    seconds = unique_sleep()
    running = asyncio.create_task(sandbox.exec(f"sleep {seconds}"))
    await until(lambda: alive(seconds))

    running.cancel()
    await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    await until(lambda: not alive(seconds))
    try:
        assert (await sandbox.exec("echo new")).text == "new\n"
    except SandboxError:
        assert not await sandbox.health()


async def test_commands_of_one_sandbox_take_turns(sandbox: Sandbox):
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(sandbox.exec(f"echo {n}; sleep 0.01; echo {n}")) for n in range(8)
        ]

    assert [task.result().text for task in tasks] == [f"{n}\n{n}\n" for n in range(8)]


@pytest.mark.real_on("process", "e2b", "prime")
async def test_thirty_two_in_parallel(backend: Backend, base: BaseRef):
    sandboxes = await backend.spawn(base, 32, owner="many")
    assert not [sandbox for sandbox in sandboxes if isinstance(sandbox, SandboxError)]

    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(sandbox.exec(f"echo {n} >mine; sleep 0.1; cat mine"))
            for n, sandbox in enumerate(sandboxes)
            if not isinstance(sandbox, SandboxError)
        ]

    assert [task.result().text for task in tasks] == [f"{n}\n" for n in range(32)]
    assert len({ref.id for ref in await backend.list("many")}) == 32


async def test_health(sandbox: Sandbox):
    assert await sandbox.health()
    await sandbox.extend(60)
    await sandbox.destroy()
    assert not await sandbox.health()


async def test_a_busy_sandbox_is_healthy(sandbox: Sandbox):
    seconds = unique_sleep()
    running = asyncio.create_task(sandbox.exec(f"sleep {seconds}", timeout_s=60))
    await until(lambda: alive(seconds))

    assert await sandbox.health()

    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


async def test_the_loop_runs_on_while_a_command_floods(sandbox: Sandbox):
    flood = asyncio.create_task(sandbox.exec("yes", timeout_s=1.0, max_output=10_000))
    ticks = 0
    while not flood.done():
        await asyncio.sleep(0.01)
        ticks += 1

    assert ticks > 3


async def test_two_sandboxes_do_not_see_each_others_work(backend: Backend, base: BaseRef):
    one, other = await spawn_one(backend, base), await spawn_one(backend, base)

    await one.exec("echo changed >README.md; rm -r src")

    assert (await other.exec("cat README.md; ls src")).text.startswith("# Sample\n")
    assert (await other.tree()).fingerprint == ""
