"""Command-line agents: a real sandbox, real HTTP, a real model endpoint, a fake model."""

import asyncio
import json
import shlex
import shutil
import sys
import tempfile
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from tests.support.fakes import AnsweringGateway, FolderSandbox, HangingGateway
from tests.support.scripted_agent import FILES, LIMITS, Told
from tests.support.servers.model_endpoint import (
    RUN,
    EndpointGround,
    WaitingGateway,
    answering,
    bash,
    completion,
    contestant,
    open_ground,
)
from yudai.agents.adapters.command.agent import CommandAgent, EndpointAccess, ended
from yudai.agents.adapters.command.model_server import HOST, serve_on_loopback, serve_on_socket
from yudai.agents.domain.command_spec import WEAKER, CommandSpec
from yudai.agents.endpoint.port import EndpointReport, EndpointToken
from yudai.agents.port import AgentOutcome, AgentTask
from yudai.gateway.domain.models import Usage
from yudai.gateway.port import Call, Completion
from yudai.kit.causes import Cause
from yudai.kit.errors import ClaimLostError, GatewayError, SandboxError
from yudai.kit.ids import RunId
from yudai.runs.domain.trajectory.steps import step_of
from yudai.runs.domain.trajectory.trajectory import export
from yudai.runs.message_writer import writer_of
from yudai.sandboxes.backends.bubblewrap.backend import BubblewrapBackend
from yudai.sandboxes.backends.network.dial import DialSettings
from yudai.sandboxes.backends.process.backend import ProcessBackend
from yudai.sandboxes.port import Backend, BaseSpec, ExecResult, Sandbox

AGENT = Path(__file__).parents[1] / "fixtures" / "tiny_agent.py"
TINY = f"{sys.executable} -E {AGENT}"
ELSEWHERE = """
from urllib import error, request
try:
    request.urlopen("http://elsewhere.test/")
except error.HTTPError as refusal:
    print(refusal.code)
"""
TASK = AgentTask(
    issue_title="x is wrong",
    issue_body="It is 1; 'should' be \"2\" $HOME `ls`.",
    contestant=contestant(),
    test_command="python -m pytest -q",
    finish_token="0123456789abcdef",  # noqa: S106  not a password
)
FIX = (
    completion("<plan>\n1. mend\n</plan>", tool_calls=(bash("echo 'x = 2' > app.py; echo ok"),)),
    completion("All done."),
)


@asynccontextmanager
async def sandbox_of(backend: Backend, folder: Path) -> AsyncGenerator[Sandbox]:
    source = folder / "source"
    for name, content in FILES.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(content)
    archive = shutil.make_archive(str(folder / "source"), "tar", source)
    try:
        spec = BaseSpec(key="toy", source=Path(archive), env=Path(sys.prefix))
        [sandbox] = await backend.spawn(await backend.prepare(spec), 1, owner=RUN)
        assert not isinstance(sandbox, SandboxError)
        yield sandbox
    finally:
        await backend.close()


def process_sandbox(folder: Path) -> AbstractAsyncContextManager[Sandbox]:
    """A sandbox of the kind that shares our network."""
    return sandbox_of(ProcessBackend(folder / "home"), folder)


async def run_agent(ground: EndpointGround, sandbox: Sandbox, **spec: Any) -> AgentOutcome:
    async with serve_on_loopback(ground.endpoint) as url:
        return await run_at(url, ground, sandbox, **spec)


async def run_at(url: str, ground: EndpointGround, sandbox: Sandbox, **spec: Any) -> AgentOutcome:
    """As a worker runs it: what it tells is stored under the sandbox's id."""
    facts: dict[str, Any] = {"command": TINY} | spec
    agent = CommandAgent(
        "tiny",
        CommandSpec(**facts),
        ground.endpoint,
        EndpointAccess(url, {"MORE": "yes"}),
        ground.clock,
    )
    record = writer_of(ground.store).recorder(RUN, 1, sandbox_id=sandbox.ref.id)
    outcome = await agent.run(TASK, sandbox, HangingGateway(), LIMITS, on_message=record)
    await writer_of(ground.store).flush()
    return outcome


async def test_an_agent_works_in_its_sandbox_through_our_endpoint(tmp_path: Path):
    async with (
        open_ground(tmp_path, answering(*FIX)) as ground,
        process_sandbox(tmp_path) as sandbox,
    ):
        outcome = await run_agent(ground, sandbox)
        assert (outcome.exit_status, outcome.cause, outcome.error) == ("Submitted", None, "")
        assert "+x = 2" in outcome.patch
        assert "issue" not in outcome.patch
        assert (outcome.steps, outcome.edits, outcome.edits_capped) == (2, 1, False)
        assert outcome.usage == Usage(input_tokens=14, output_tokens=20, cost_micros=20)
        assert (outcome.plan, outcome.plan_before_edit) == (("mend",), True)
        assert outcome.config["notes"] == list(WEAKER)
        told = await ground.messages()
        assert [(m.seq, m.step, m.role) for m in told] == [
            (0, 0, "system"),
            (1, 0, "user"),
            (2, 1, "assistant"),
            (3, 1, "tool"),
            (4, 2, "assistant"),
            (5, 2, "tool"),
            (6, 2, "exit"),
        ]
        asked = f"{TASK.issue_title}\n\n{TASK.issue_body}\n"
        assert told[1].body["content"] == asked
        assert ground.gateway.calls[0].temperature == 0.3  # type: ignore[attr-defined]
        printed = told[5].body
        assert printed["extra"]["raw_output"].startswith("All done. test-first python -m pytest -q")
        assert printed["extra"]["raw_output"].endswith("[redacted]\n")
        assert printed["extra"]["edit"] == 1
        assert "+x = 2" in printed["extra"]["diff"]
        run = await ground.run()
        assert (run.steps, run.edits, run.message_count, run.usage) == (2, 1, 7, outcome.usage)
        # What it printed is no output of the model's last command.
        last = step_of(1, [m for m in told if m.step == 1])
        assert [action.output for action in last.actions] == ["ok\n"]
        assert json.dumps(export(told, outcome))


async def test_a_sandbox_without_a_network_reaches_the_endpoint_and_nothing_else(tmp_path: Path):
    """By a name that is no host: our proxy knows the door behind it."""
    look = f"python3 -c {shlex.quote(ELSEWHERE)} > looked"
    program = f"python3 -c {shlex.quote(AGENT.read_text())}"
    # A socket's path is short, and pytest's own folders may not be.
    with tempfile.TemporaryDirectory() as short:
        path = Path(short) / "model"
        backend = BubblewrapBackend(
            tmp_path / "home", dialing=DialSettings(local_sockets={HOST: path})
        )
        async with (
            open_ground(tmp_path, answering(*FIX)) as ground,
            serve_on_socket(ground.endpoint, path) as url,
            sandbox_of(backend, tmp_path) as sandbox,
        ):
            outcome = await run_at(url, ground, sandbox, command=program, setup=(look,))
            assert (outcome.exit_status, outcome.steps) == ("Submitted", 2)
            assert "+x = 2" in outcome.patch
            assert "+403" in outcome.patch


async def test_an_agent_that_reaches_its_cap_ends_for_it(tmp_path: Path):
    dear = completion("", cost=600, tool_calls=(bash("echo 'x = 2' > app.py"),))
    async with (
        open_ground(tmp_path, answering(dear)) as ground,
        process_sandbox(tmp_path) as sandbox,
    ):
        outcome = await run_agent(ground, sandbox)
        assert (outcome.exit_status, outcome.cause) == ("CostExceeded", Cause.OUT_OF_BUDGET)
        assert (outcome.steps, outcome.usage.cost_micros) == (2, 1200)
        assert "+x = 2" in outcome.patch


async def test_an_agent_whose_model_fails_is_not_at_fault(tmp_path: Path):
    def fail(_: Call) -> Completion:
        raise GatewayError("away")

    async with (
        open_ground(tmp_path, AnsweringGateway(fail)) as ground,
        process_sandbox(tmp_path) as sandbox,
    ):
        outcome = await run_agent(ground, sandbox)
        assert (outcome.cause, outcome.steps) == (Cause.MODEL_FAILED, 1)


async def test_an_agent_is_stopped_when_its_time_is_up_and_its_call_with_it(tmp_path: Path):
    gateway = WaitingGateway(lambda _: completion())
    async with open_ground(tmp_path, gateway) as ground, process_sandbox(tmp_path) as sandbox:
        outcome = await run_agent(ground, sandbox, timeout_s=5)
        assert (outcome.exit_status, outcome.cause) == ("TimeExceeded", Cause.OUT_OF_TIME)
        assert gateway.left.is_set()
        assert (outcome.steps, outcome.patch) == (1, "")


class FakeEndpoint:
    """Remembers who came; reports what it is told to."""

    def __init__(self, **report: Any) -> None:
        facts: dict[str, Any] = {"steps": 0, "usage": Usage(), "messages": 1}
        self.reported = EndpointReport(**facts | report)
        self.left: list[EndpointToken] = []
        self.taken = False

    async def open(self, run_id: RunId, *, sandbox_id: str, seconds: float) -> EndpointToken:
        if self.taken:
            raise ClaimLostError("taken")
        assert (run_id, sandbox_id, seconds) == ("tests", "1", LIMITS.wall_time_s)
        return EndpointToken(run_id=run_id, attempt=1, token=SecretStr("secret-token"))

    async def report(self, endpoint_token: EndpointToken) -> EndpointReport:
        assert endpoint_token.attempt == 1
        return self.reported

    def close(self, endpoint_token: EndpointToken) -> None:
        self.left.append(endpoint_token)


class Play:
    def __init__(self, folder: Path, **report: Any) -> None:
        self.sandbox = FolderSandbox(folder / "sandbox", FILES)
        self.endpoint = FakeEndpoint(**report)
        self.told = Told()

    async def run(self, command: str, **spec: Any) -> AgentOutcome:
        agent = CommandAgent(
            "tiny",
            CommandSpec(command=command, **spec),
            self.endpoint,
            EndpointAccess(
                "http://model.yudai.invalid/v1", {"HTTP_PROXY": "http://127.0.0.1:3128"}
            ),
            _CLOCK,
        )
        return await agent.run(TASK, self.sandbox, HangingGateway(), LIMITS, on_message=self.told)


class _Clock:
    def now(self) -> float:
        return 5.0

    def new_id(self) -> str:
        raise AssertionError

    def token(self) -> str:
        raise AssertionError


_CLOCK = _Clock()


@pytest.fixture
def play(tmp_path: Path) -> Play:
    return Play(tmp_path)


async def test_commands_get_what_they_need_and_nothing_to_read_from(play: Play):
    outcome = await play.run(
        'cat; env | grep -E "^(OPENAI|YUDAI|HTTP|MINE)" | sort; cat "$YUDAI_ISSUE_FILE"',
        env={"MINE": "a b", "HTTP_PROXY": "theirs"},
    )
    assert outcome.cause is None
    printed = play.told.messages[1].body["extra"]["raw_output"].splitlines()
    assert [line for line in printed if not line.startswith("YUDAI_ISSUE_FILE")] == [
        "HTTP_PROXY=http://127.0.0.1:3128",
        "MINE=a b",
        "OPENAI_API_BASE=http://model.yudai.invalid/v1",
        "OPENAI_API_KEY=[redacted]",
        "OPENAI_BASE_URL=http://model.yudai.invalid/v1",
        "OPENAI_MODEL=vendor/paid",
        "YUDAI_MODEL=vendor/paid",
        "YUDAI_STRATEGY=test-first",
        "YUDAI_TEST_COMMAND=python -m pytest -q",
        "x is wrong",
        "",
        TASK.issue_body,
    ]
    assert play.endpoint.left[0].attempt == 1


async def test_set_up_comes_first_and_its_failure_ends_the_run(play: Play):
    outcome = await play.run("touch never", setup=("touch one", "echo no; exit 3", "touch two"))
    assert (outcome.exit_status, outcome.cause) == ("AgentFailed", Cause.AGENT_FAILED)
    assert outcome.error == "its set-up `echo no; exit 3` ended with exit code 3"
    assert play.told.messages[1].body["extra"]["raw_output"] == "no\n"
    names = {path.name for path in play.sandbox.workspace.iterdir()}
    assert "one" in names
    assert not names & {"two", "never"}


async def test_a_command_that_fails_with_a_patch_is_taken_and_it_is_said(play: Play):
    outcome = await play.run("echo 'x = 2' > app.py; exit 3")
    assert (outcome.exit_status, outcome.cause) == ("Submitted", None)
    assert "+x = 2" in outcome.patch
    assert "exit code 3; its patch is taken" in play.told.messages[-1].body["content"]


async def test_a_command_that_fails_without_one_has_failed(play: Play):
    outcome = await play.run("exit 3")
    assert outcome.cause is Cause.AGENT_FAILED
    assert outcome.error == "its command ended with exit code 3 and changed nothing"
    assert play.told.exit_status == "AgentFailed"


async def test_a_command_that_ends_well_without_one_has_submitted_nothing(play: Play):
    outcome = await play.run("true")
    assert (outcome.cause, outcome.patch, outcome.edits) == (None, "", 0)


async def test_much_output_is_kept_in_part(play: Play):
    await play.run("head -c 3000000 /dev/zero | tr '\\0' a")
    message = play.told.messages[1].body
    assert len(message["extra"]["raw_output"]) < 101_000
    assert len(message["content"]) < 11_000
    assert "printed too much" in message["extra"]["exception_info"]


async def test_a_lost_sandbox_is_nobodys_fault(play: Play):
    run = asyncio.create_task(play.run("touch begun; sleep 60"))
    while not (play.sandbox.workspace / "begun").exists():  # noqa: ASYNC110  another process makes it
        await asyncio.sleep(0.005)
    play.sandbox.lost = True
    for process in play.sandbox._running:
        process.kill()
    outcome = await run
    assert (outcome.exit_status, outcome.cause) == ("SandboxLost", Cause.SANDBOX_LOST)
    assert play.told.roles == ["system", "exit"]


async def test_cancelling_stops_it_at_once_and_leaves_nothing(play: Play):
    run = asyncio.create_task(play.run("touch begun; sleep 60"))
    while not (play.sandbox.workspace / "begun").exists():  # noqa: ASYNC110  another process makes it
        await asyncio.sleep(0.005)
    run.cancel()
    done, _ = await asyncio.wait([run], timeout=2)
    assert done
    assert run.cancelled()
    assert play.sandbox.running == 0
    assert len(play.endpoint.left) == 1


async def test_who_was_taken_for_dead_starts_no_command(play: Play):
    play.endpoint.taken = True
    with pytest.raises(ClaimLostError):
        await play.run("touch never")
    assert play.sandbox.started == []


async def test_the_story_begins_with_what_is_not_promised(play: Play):
    await play.run("true")
    first = play.told.messages[0]
    assert (first.seq, first.role) == (0, "system")
    assert all(promise in first.body["content"] for promise in WEAKER)
    assert [m.seq for m in play.told.messages] == [0, 1, 2]


@pytest.mark.parametrize(
    ("exit_code", "refusal", "has_patch", "cause"),
    [
        (0, None, True, None),
        (0, None, False, None),
        (1, None, True, None),
        (1, None, False, Cause.AGENT_FAILED),
        (0, Cause.OUT_OF_BUDGET, True, Cause.OUT_OF_BUDGET),
        (1, Cause.OUT_OF_STEPS, False, Cause.OUT_OF_STEPS),
        (0, Cause.MODEL_FAILED, True, None),
        (0, Cause.MODEL_FAILED, False, Cause.MODEL_FAILED),
        (1, Cause.MODEL_FAILED, True, Cause.MODEL_FAILED),
        (1, Cause.CONTEXT_OVERFLOW, False, Cause.CONTEXT_OVERFLOW),
    ],
)
def test_how_it_ended(exit_code: int, refusal: Cause, has_patch: bool, cause: Cause | None):  # noqa: FBT001  a row of a table
    result = ExecResult(exit_code=exit_code, output=b"")
    assert ended(result, refusal, has_patch=has_patch).cause is cause


def test_why_a_command_failed_is_said_where_it_is_known():
    result = ExecResult(exit_code=137, output=b"", oom=True)
    assert "exit code 137 (out of memory)" in ended(result, None, has_patch=False).reason
    stopped = ExecResult(exit_code=124, output=b"", timed_out=True)
    assert ended(stopped, Cause.MODEL_FAILED, has_patch=True).cause is Cause.OUT_OF_TIME
