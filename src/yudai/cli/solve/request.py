"""Turns options into a request. An invalid one is an error of one line."""

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from pydantic import ValidationError

from yudai.cli.options import Given, Options
from yudai.cli.solve.patches import NOTHING, asked_patches
from yudai.forge.domain.issue import from_markdown
from yudai.forge.domain.repository import Target, parse_target
from yudai.gateway.domain.models import Price, parse_price
from yudai.kit.errors import RefusedError
from yudai.kit.money import usd
from yudai.kit.text import nearest
from yudai.settings import Settings
from yudai.solves.domain.origin import PublishMode
from yudai.solves.domain.request import SolveAsk
from yudai.solves.domain.strategies import Strategy

_MAX_ISSUE = 400_000
_SHORT = re.compile(r"[^/\s#.~][^/\s#]*/[^/\s#]+(?:#[0-9]+)?")
_NUMBER = re.compile(r"[1-9][0-9]{0,8}")

# Fields of our values, as a person knows them.
_OPTIONS = {
    "models": "--model",
    "temperatures": "--temperature",
    "max_edits": "--max-edits",
    "strategies": "--strategy",
    "agents": "--agent",
    "max_parallel": "--parallel",
    "max_steps": "--max-steps",
    "budget_usd": "--budget-usd",
    "run_budget_usd": "--run-budget-usd",
    "time_budget_s": "--time-budget",
    "run_time_budget_s": "--run-time-budget",
    "base_branch": "--base",
    "patch": "--patch",
    "patch_base64": "--patch",
    "branch": "--branch",
    "commit": "--commit",
    "author": "--author",
    "env": "--env",
    "prices": "--price",
    "reducer": "--reducer",
    "repo_path": "the folder",
    "setup": "--setup",
    "test": "--test",
    "issue_text": "the issue",
    "title": "the issue's first line",
    "body": "the issue",
}


class Subject(NamedTuple):
    """Where it is, and what is judged there besides files, branches and commits."""

    target: Target | None
    """None: a folder. A forge that was not named is the one that a server asks."""
    pulls: tuple[int, ...] = ()
    issue: Target | None = None
    """None: it is given in words, or the target's own."""

    @property
    def issue_repo(self) -> str:
        is_own = self.issue is None or (self.target and self.target.repo == self.issue.repo)
        return "" if is_own or self.issue is None else self.issue.repo.full

    @property
    def number(self) -> int | None:
        issue = self.issue or self.target
        return None if issue is None else issue.number


def read_request(options: Options, settings: Settings, *, forge: str = "") -> SolveAsk:
    """A forge that was not named is the one that a server asks."""
    if options.judged is None:
        return to_request(options, settings, find_target(options.target, forge=forge))
    names = options.judged.targets or (".",)
    subject = _judged_subject(names, options.judged, forge)
    if not _has_patches(options, subject):
        raise RefusedError(NOTHING)
    return _to_ask(options._replace(target=names[0]), settings, subject)


def _judged_subject(names: Sequence[str], given: Given, forge: str) -> Subject:
    """One repository; the numbers of its targets are pull requests."""
    targets = [target for name in names if (target := find_target(name, forge=forge)) is not None]
    places = {target.repo.url.lower() for target in targets}
    if len(places) > 1 or (len(names) > 1 and len(targets) < len(names)):
        raise RefusedError("name one folder, or pull requests of one repository")
    pulls = tuple(target.number for target in targets if target.number is not None)
    repo = targets[0].model_copy(update={"number": None}) if targets else None
    return Subject(repo, pulls, _issue_at(given.issue, repo, forge) if given.issue else None)


def _issue_at(name: str, repo: Target | None, forge: str) -> Target:
    number = name.removeprefix("#")
    if repo is not None and _NUMBER.fullmatch(number):
        return repo.model_copy(update={"number": int(number)})
    found = find_target(name, forge=forge)
    if found is None or found.number is None:
        raise RefusedError(f"--issue is owner/repo#12 or the issue's URL, not {name!a}")
    return found


def to_request(options: Options, settings: Settings, target: Target | None) -> SolveAsk:
    """None: a folder. Without a forge, the server's forge is meant."""
    return _to_ask(options, settings, Subject(target))


def _to_ask(options: Options, settings: Settings, subject: Subject) -> SolveAsk:
    words = _words(options)
    if words:
        _checked(from_markdown, words)
    has_issue = bool(words or subject.pulls or subject.number is not None)
    if subject.target is None:
        place = _folder(options, has_issue=has_issue)
    else:
        place = _remote(options, subject.target, has_issue=has_issue)
    setup = options.setup
    prices = [parse_price(text) for text in options.price or ()]
    body: dict[str, Any] = {
        **place,
        "issue_number": subject.number,
        "issue_repo": subject.issue_repo,
        "issue_text": words,
        "base_branch": options.base,
        "patches": asked_patches(options, subject.pulls) if _has_patches(options, subject) else [],
        "limits": {
            "max_parallel": options.parallel,
            "max_runs": settings.max_contestants,
            "max_steps": options.max_steps,
            "time_budget_s": (
                settings.time_budget_s if options.time_budget is None else options.time_budget
            ),
            "run_time_budget_s": options.run_time_budget,
            "budget_usd": options.budget_usd,
            "run_budget_usd": min(options.budget_usd, options.run_budget_usd),
        },
        "prices": {name: _dollars(price) for name, price in prices},
        "setup": None if setup is None else [line for line in setup if line.strip()],
        "test": options.test,
        "reducer": options.reducer,
        "require_proof": not options.accept_unproved,
    }
    if options.judged is None:
        body["matrix"] = _matrix(options)
    return _checked(SolveAsk.model_validate, body)


def _has_patches(options: Options, subject: Subject) -> bool:
    given = options.judged or Given()
    return bool(options.patch or given.branches or given.commits or subject.pulls)


def _folder(options: Options, *, has_issue: bool) -> dict[str, Any]:
    if options.pr:
        raise RefusedError(
            f"--pr is for a repository at a forge, such as owner/repo#12: {options.target} is a"
            f" folder, which takes --apply or {_new_branch(options)}"
        )
    if not has_issue:
        more = ", or --issue owner/repo#12" if options.judged else ""
        raise RefusedError(f"say what to solve: --text 'what is wrong', or --issue-file FILE{more}")
    return {
        "repo_path": str(Path(options.target).absolute()),
        "dirty": options.dirty,
        "env": "" if options.env is None else str(options.env.absolute()),
    }


def _new_branch(options: Options) -> str:
    """The option; of `judge`, --branch is one that is judged."""
    return "--branch" if options.judged is None else "--to-branch"


def _remote(options: Options, target: Target, *, has_issue: bool) -> dict[str, Any]:
    """AUTO only with a server, which publishes even if this process has ended."""
    given = (
        ("--apply", options.apply),
        (_new_branch(options), options.branch),
        ("--dirty", options.dirty),
        ("--env", options.env is not None),
    )
    for name, is_given in given:
        if is_given:
            raise RefusedError(f"{name} is only for a folder, not {options.target}: leave it out")
    if not has_issue:
        name = "--issue NUMBER" if options.judged else f"{target.repo.full}#NUMBER"
        raise RefusedError(
            f"say what to solve: {name}, --text 'what is wrong', or --issue-file FILE"
        )
    return {
        "repo_url": target.repo.url if target.repo.forge else target.repo.full,
        "publish": PublishMode.AUTO if options.pr else PublishMode.ASK,
    }


def _words(options: Options) -> str:
    """Empty when none were given."""
    if options.text and options.issue_file:
        raise RefusedError("choose one of --text and --issue-file")
    if not options.text and not options.issue_file:
        return ""
    text = options.text or _read(options.issue_file)
    if not text.strip():
        raise RefusedError("the issue is empty: say what is wrong and what you expect")
    return text


def _read(name: str) -> str:
    """A file, or standard input for `-`."""
    try:
        if name == "-":
            content = sys.stdin.buffer.read(_MAX_ISSUE + 1)
        else:
            with Path(name).open("rb") as file:
                content = file.read(_MAX_ISSUE + 1)
    except OSError as error:
        raise RefusedError(f"cannot read the issue {name}: {error.strerror}") from None
    if len(content) > _MAX_ISSUE:
        raise RefusedError(f"{name} is larger than {_MAX_ISSUE // 1000} KB: give the issue alone")
    return content.decode("utf-8", "replace")


def _matrix(options: Options) -> dict[str, Any]:
    if not options.model:
        more = "; `yudai judge` needs none" if options.patch else ""
        raise RefusedError(
            f"name at least one model: --model NAME (`yudai models` lists them){more}"
        )
    known = [strategy.value for strategy in Strategy]
    for name in options.strategy or ():
        if name not in known:
            raise RefusedError(f"there is no strategy {name!r}: {nearest(name, known)}")
    axes = {
        "models": options.model,
        "temperatures": options.temperature,
        "max_edits": options.max_edits,
        "strategies": options.strategy,
        "agents": options.agent,
    }
    return {name: values for name, values in axes.items() if values is not None}


def _checked(make: Any, raw: object) -> Any:
    try:
        return make(raw)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        loc = [str(part) for part in (*first["loc"], first.get("ctx", {}).get("field", ""))]
        where = next((_OPTIONS[part] for part in loc if part in _OPTIONS), loc[0])
        shown = f", not {first['input']!r}" if isinstance(first["input"], (int, float)) else ""
        raise RefusedError(f"{where}: {first['msg']}{shown}") from None


def _dollars(price: Price) -> dict[str, float]:
    cached = {} if price.cached_micros is None else {"cached_usd": usd(price.cached_micros)}
    return {"input_usd": usd(price.input_micros), "output_usd": usd(price.output_micros), **cached}


def find_target(text: str, *, forge: str = "") -> Target | None:
    """None: a folder. Without a forge whichever one is named, or none at all.

    A folder that exists is a folder, whatever else its name could mean.
    """
    if "://" in text:
        return parse_target(text, forge=forge or _origin(text))
    if not _SHORT.fullmatch(text) or _exists(text):
        return None
    return parse_target(text, forge=forge)


def _origin(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = None
    is_plain = parts is not None and parts.netloc and "@" not in parts.netloc
    if parts is None or not is_plain or parts.scheme not in ("https", "http"):
        raise RefusedError(
            "this is not an issue: give a folder, owner/repo#12 or https://host/owner/"
            "repo/issues/12"
        )
    return f"{parts.scheme}://{parts.netloc}"


def _exists(text: str) -> bool:
    try:
        return Path(text).exists()
    except (OSError, ValueError):
        return False
