"""Secrets in what is kept or shown: trajectories, logs, words of git and of libraries."""

import base64
import json
import logging
from collections.abc import Generator
from pathlib import Path

import pytest
import structlog

from tests.support.fakes import StillClock
from tests.support.forge.remote_repository import BY, TOKEN, Scene
from tests.support.servers.git_server import Status
from tests.support.solve_rows import Ring, run_id
from yudai.artifacts.adapters.object_store import make_artifacts
from yudai.artifacts.context import Context
from yudai.forge.adapters.git.command import Git
from yudai.gateway.domain.models import Usage
from yudai.kit.errors import YudaiError
from yudai.kit.redaction import Redact, as_it_is, redactor
from yudai.operations import telemetry
from yudai.runs.domain.progress import Progress
from yudai.runs.domain.trajectory.trajectory import TrajectoryMessage
from yudai.runs.message_writer import writer_of
from yudai.store.store import Store

SECRET = "correct-horse/battery+staple"  # noqa: S105 - it was never one
SHAPED = "ghp_" + "a1B2" * 9
ENCODED = base64.b64encode(f"user:{SECRET}".encode()).decode()
SAID = f"plain {SECRET}\nheader {ENCODED}\njson {json.dumps(SECRET)}\nunknown {SHAPED}"
# Of what is encoded the middle: where it begins and ends depends on what is beside it.
FORMS = (SECRET, ENCODED[8:-8], SHAPED)


async def keep_trajectory(url: str, home: Path, redact: Redact) -> set[str]:
    """The forms in which a secret that an agent has printed is in the database's files."""
    async with await Store.open(url, redact=redact) as store:
        context = Context(store, make_artifacts(None, home=home), StillClock())
        await Ring(context).solve(None)
        message = TrajectoryMessage(
            seq=100, step=9, role="tool", at=0.0, body={"role": "tool", "content": SAID}
        )
        writer_of(store).append(run_id(0), 1, message, Progress(steps=9, edits=0, usage=Usage()))
        await writer_of(store).flush()
    file = Path(url.partition("///")[2].partition("?")[0])
    kept = b"".join(part.read_bytes() for part in file.parent.glob(f"{file.name}*"))
    assert b"header" in kept
    return {form for form in FORMS if form.encode() in kept}


async def test_no_secret_is_in_the_database(database_url: str, tmp_path: Path):
    assert await keep_trajectory(database_url, tmp_path / "home", redactor([SECRET])) == set()


async def test_unredacted_every_form_is(database_url: str, tmp_path: Path):
    assert await keep_trajectory(database_url, tmp_path / "home", as_it_is) == set(FORMS)


@pytest.fixture
def telling() -> Generator[None]:
    """Logging as an entry point sets it up."""
    before = logging.lastResort
    telemetry.set_up(verbose=True)
    yield
    logging.lastResort = before
    structlog.reset_defaults()


def say_everywhere(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """By whom standard error was told a secret: by us, by an error, by a library."""
    # Tests have listeners of their own; a program of ours has none.
    monkeypatch.setattr(logging.root, "handlers", [])
    told: set[str] = set()
    for name, say in {"us": _log, "an error": _log_error, "a library": _log_library}.items():
        say()
        shown = capsys.readouterr().err
        assert "header" in shown
        if any(form in shown for form in FORMS):
            told.add(name)
    return told


def _log() -> None:
    structlog.get_logger().info("forge.asked", header=SAID)


def _log_error() -> None:
    try:
        raise RuntimeError(SAID)  # noqa: TRY301 - it has to have a traceback
    except RuntimeError:
        structlog.get_logger().exception("broke")


def _log_library() -> None:
    logging.getLogger("githubkit").warning("asked with %s", SAID)


@pytest.mark.usefixtures("telling")
def test_no_secret_is_in_a_log_of_any_writer(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    telemetry.hide([SECRET])
    assert say_everywhere(capsys, monkeypatch) == set()


@pytest.mark.usefixtures("telling")
def test_unredacted_all_logs_show_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    assert say_everywhere(capsys, monkeypatch) == {"us", "an error", "a library"}


@pytest.mark.usefixtures("telling")
def test_a_library_that_no_one_listens_to_shows_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    telemetry.hide([SECRET])
    monkeypatch.setattr(logging, "lastResort", logging.StreamHandler())
    assert say_everywhere(capsys, monkeypatch) == {"a library"}


async def repeat_token(scene: Scene) -> bool:
    """A forge that answers with the token that it was given: whether our error repeats it."""
    told = f"denied: {TOKEN}\n".encode()
    scene.server.answer(lambda _: Status(403, {"Content-Type": "text/plain"}, told))
    with pytest.raises(YudaiError) as error:
        await scene.mirrors.fetch(scene.repo, "main", by=BY)
    return TOKEN in str(error.value)


async def test_an_error_does_not_repeat_the_token(scene: Scene):
    assert not await repeat_token(scene)


async def test_unhidden_it_does(scene: Scene, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Git, "_without_secrets", lambda _, text: text)
    assert await repeat_token(scene)
