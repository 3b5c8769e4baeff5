"""`yudai dev fake-github`: a GitHub on loopback to try the whole round trip with."""

import asyncio
import os
import shlex
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple
from urllib.parse import urlsplit

import typer
from rich.text import Text

from yudai.cli import console as consoles
from yudai.cli.exit_codes import FAILED
from yudai.cli.options import Json
from yudai.cli.serve.listen import bind, url_of
from yudai.cli.signals import stay_until_signal
from yudai.cli.text import print_json
from yudai.kit.errors import ConflictError, RefusedError
from yudai.kit.locks import lock
from yudai.settings import Settings, read_settings
from yudai.settings.forge import LOOPBACK

if TYPE_CHECKING:
    from yudai.dev.fake_github.state import State

dev = typer.Typer(help="Try Yudai without an account.", no_args_is_help=True)

_HOST = "127.0.0.1"
_ENV_FILE = "yudai.env"
WEBHOOK = "http://127.0.0.1:8000/api/webhooks/github"
"""The default address of `yudai serve`."""


class FakeGitHubOptions(NamedTuple):
    port: int = 8090
    folder: Path | None = None
    """None: in YUDAI_HOME."""
    webhook: str | None = None
    """URL that gets webhooks; "": none; None: the last one, or else a server on this machine."""
    json: bool = False


@dev.callback()
def _group() -> None:
    """Keeps the subcommand's name, which typer omits if there is only one."""


@dev.command(name="fake-github")
def fake_github(
    *,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port on 127.0.0.1; 0 takes any free one.")
    ] = 8090,
    folder: Annotated[
        Path | None,
        typer.Option(help="Folder for its data; created if missing. Default: in YUDAI_HOME."),
    ] = None,
    webhook: Annotated[
        str | None,
        typer.Option(
            help="URL on this machine that gets its webhooks; '' for none. Default: the last one,"
            " at first http://127.0.0.1:8000/api/webhooks/github."
        ),
    ] = None,
    json: Json = False,
) -> int:
    """Run a fake GitHub on this machine, to try labels, pull requests, merges and reverts."""
    given = FakeGitHubOptions(port=port, folder=folder, webhook=webhook, json=json)
    return stay_until_signal(run_fake_github(read_settings(), given))


async def run_fake_github(settings: Settings, given: FakeGitHubOptions) -> int:
    """Serve until a signal arrives."""
    from yudai.dev.fake_github import sample, server
    from yudai.dev.fake_github.state import State

    folder = (given.folder or settings.home / "fake-github").absolute()
    with _owning(folder), closing(bind(_HOST, given.port)) as listener:
        state = State(folder)
        state.url = url_of(listener)
        is_new = not state.world.repos
        sample.prepare(state)
        if given.webhook is not None or is_new:
            state.world.hook.url = _checked(WEBHOOK if given.webhook is None else given.webhook)
        state.save()
        with closing(state):
            async with server.answering(state, listener) as http:
                _say(state, json=given.json)
                await asyncio.wait([http])
    return FAILED


@contextmanager
def _owning(folder: Path) -> Generator[None]:
    """Two processes would overwrite each other's memory."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        held = lock(folder / ".lock")
    except BlockingIOError:
        raise ConflictError(
            f"{folder} is used by another fake GitHub: end it, or choose another --folder"
        ) from None
    except OSError as error:
        raise RefusedError(f"--folder {folder}: {error.strerror}; choose another") from None
    try:
        yield
    finally:
        os.close(held)


def _checked(url: str) -> str:
    if url and (urlsplit(url).scheme != "http" or urlsplit(url).hostname not in LOOPBACK):
        raise RefusedError("--webhook takes an address on this machine: http://127.0.0.1:8000/...")
    return url


def _say(state: "State", *, json: bool) -> None:
    from yudai.dev.fake_github import sample

    env = sample.environment(state)
    file = state.folder / _ENV_FILE
    lines = [f"{name}={shlex.quote(value)}\n" for name, value in env.items()]
    sample.write_private(file, "".join(lines).encode())
    issue = f"{state.url}/{sample.REPO}/issues/{sample.ISSUE}"
    if json:
        print_json(_document(state, env, issue))
        return
    console = consoles.result()
    for line in (
        f"A fake GitHub listens on {state.url}; Ctrl-C ends it, {state.folder} keeps it.",
        "",
        "In another terminal, let Yudai work with it (no model key is needed):",
        f"  set -a; . {shlex.quote(str(file))}; set +a; {consoles.program()} serve",
        "",
        f"Then add the label yudai to {issue} (as bob),",
        "watch the solve, and merge, close or revert the pull request that comes of it.",
        "",
        "Or without a server, from the same variables, as yourself:",
        f"  {consoles.program()} solve {sample.REPO}#{sample.ISSUE} --model {sample.MODEL} --pr",
        "",
        "People: ada (admin), bob (writer), carol (reader), mallory (nobody).",
    ):
        console.print(Text(line), soft_wrap=True)


def _document(state: "State", env: dict[str, str], issue: str) -> dict[str, Any]:
    from yudai.dev.fake_github import sample

    return {
        "url": state.url,
        "pid": os.getpid(),
        "folder": str(state.folder),
        "repository": sample.REPO,
        "issue": issue,
        "environment": env,
        "tokens": sample.tokens(state),
        "webhook": state.world.hook.url,
    }
