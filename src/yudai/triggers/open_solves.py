"""Opens solves that are requested at a forge, by a label or a comment of a user who may write."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.accounts import queries as accounts
from yudai.arena.forge_issue import IssueSource
from yudai.arena.open import SolveRequest
from yudai.arena.submit import Submitter, default_matrix
from yudai.decisions.answer import Answer, Answers
from yudai.forge.domain.issue_text import OUR_MARK, is_bot
from yudai.forge.domain.markdown import fence
from yudai.forge.domain.repository import Account, Comment, ForgeIssue, Labelling, RepoRef, Role
from yudai.forge.ports.remote import Credential, CredentialKind, Credentials
from yudai.gateway.catalogue import Catalogue
from yudai.gateway.domain.models import SCRIPTED_PREFIX, is_script
from yudai.gateway.domain.routing import Listing
from yudai.kit.clock import Clock
from yudai.kit.errors import ForbiddenError, ForgeError, NotFoundError, RefusedError
from yudai.kit.ids import LOCAL_USER, SolveId, short
from yudai.solves import queries as solves
from yudai.solves.domain.matrix import Matrix
from yudai.solves.domain.origin import Origin, OriginKind, PublishMode
from yudai.solves.domain.request import SolveAsk
from yudai.solves.domain.slash_command import Place, SolveCommand, from_command, read_options
from yudai.store.store import Store
from yudai.triggers import queries
from yudai.triggers.domain import commands as triggers
from yudai.triggers.domain.commands import (
    TriggerState,
    comment_key,
    label_key,
    last_labelling,
)
from yudai.triggers.find_question import find_answer
from yudai.triggers.queries import AlreadyRecordedError
from yudai.triggers.tables import TriggerRow, WatchRow

log: structlog.stdlib.BoundLogger = structlog.get_logger()

OVERLAP_S = 5.0
"""Reads overlap by this much: a forge shows some changes late."""
LATE_S = 600.0
"""Age limit for comments of a repository that a webhook names before the first poll."""
FIRST = 0.0
"""Value of `issues_since` before a repository's first poll."""
_MAX_WHY = 1000
# An App comments as a bot.
_NO_PERSON = (CredentialKind.APP, CredentialKind.ANONYMOUS)
_SAID = {
    "matrix": ("models", "temperatures", "strategies", "max_edits"),
    "limits.budget_usd": ("budget_usd",),
}
"""Options that a refused field comes from. Other fields cannot be set in a comment."""


class SolveTrigger(NamedTuple):
    """A label or comment at the forge that requests a solve."""

    key: str
    kind: OriginKind
    by: Account
    url: str
    words: str = ""
    """The text after `/yudai`."""
    objection: str = ""
    """Why it is ignored, for any author."""


class _FixableError(RefusedError):
    """The author of the comment can fix this; other errors are for the operator."""


@dataclass(frozen=True)
class Triggers:
    store: Store
    clock: Clock
    forge: IssueSource
    credentials: Credentials
    submitter: Submitter
    catalogue: Catalogue
    answerer: Answers
    label: str
    matrix: str = ""
    """GITHUB_MATRIX: defaults for options that the command does not give."""
    chat_model: str | None = None
    unknown_user: str = LOCAL_USER
    """Owner of solves requested by people without an account here."""
    answers: bool = True
    """Whether a refused command is answered with the reason."""
    publish: PublishMode = PublishMode.AUTO
    """GITHUB_PUBLISH: with `never` nothing is written to the forge."""

    async def check_issue(self, repo: RepoRef, number: int) -> int:
        """Read an issue and open the solves that it requests; return how many.

        A webhook is only a hint to call this; its content is not trusted.
        """
        by = await self.credentials.reading(repo, user_id="")
        watch = await self._watch(repo)
        try:
            issue = await self.forge.issue(repo, number, by=by)
        except NotFoundError:
            return 0
        if issue.is_pull_request:
            return 0
        found = await self._triggers_of(repo, issue, watch, by=by)
        async with self.store.read() as db:
            known = await queries.recorded(db, [one.key for one in found])
        opened = 0
        for trigger in found:
            if trigger.key not in known:
                opened += await self._handle(repo, issue, trigger, by=by)
        return opened

    async def _watch(self, repo: RepoRef) -> WatchRow:
        url = watch_key(repo)
        async with self.store.read() as db:
            watch = await queries.find_watch(db, url)
        if watch is not None:
            return watch
        async with self.store.change() as db:
            await queries.begin_watch(db, url, at=self.clock.now() - LATE_S)
        return await self._watch(repo)

    async def _triggers_of(
        self, repo: RepoRef, issue: ForgeIssue, watch: WatchRow, *, by: Credential
    ) -> list[SolveTrigger]:
        found: list[SolveTrigger] = []
        last: Labelling | None = None
        # A label is a state: on a closed issue it waits until the issue is reopened.
        if issue.is_open and self.label.lower() in {name.lower() for name in issue.labels}:
            labellings = await self.forge.labellings(repo, issue.number, by=by)
            last = last_labelling(issue, labellings, self.label)
        comments = await self.forge.comments(repo, issue.number, by=by) if issue.comments else ()
        if last is not None:
            is_answered = _is_before(last, watch) and await self._is_answered(comments, by=by)
            found.append(_of_label(repo, issue, last, is_answered=is_answered))
        return found + _of_comments(repo, comments, since=watch.comments_since - OVERLAP_S)

    async def _is_answered(self, comments: Sequence[Comment], *, by: Credential) -> bool:
        """Whether we have commented before, also when our database is new."""
        marked = [one.author for one in comments if OUR_MARK in one.body]
        if not marked or any(map(is_bot, marked)):
            return bool(marked)
        if by.kind in _NO_PERSON:
            return False
        try:
            own = by.login or (await self.forge.whoami(by=by)).login
        except ForbiddenError:
            # A token without a user, such as a workflow's, comments as a bot.
            return False
        return own.lower() in {author.login.lower() for author in marked}

    async def _handle(
        self, repo: RepoRef, issue: ForgeIssue, trigger: SolveTrigger, *, by: Credential
    ) -> bool:
        why = await self._objection(repo, issue, trigger, by=by)
        if why:
            await self._note(repo, issue, trigger, TriggerState.IGNORED, note=why)
            return False
        try:
            answer = _answer_of(trigger)
            if answer is not None:
                with _fixable():
                    await self._answer_question(repo, issue, trigger, answer)
                return False
            await self._open(repo, issue.number, trigger)
        except AlreadyRecordedError:
            return False
        except RefusedError as error:
            await self._refuse(repo, issue, trigger, error)
            return False
        return True

    async def _objection(
        self, repo: RepoRef, issue: ForgeIssue, trigger: SolveTrigger, *, by: Credential
    ) -> str:
        """Why the trigger is ignored without an answer; "" when it is not."""
        if trigger.objection:
            return trigger.objection
        if is_bot(trigger.by):
            return "a bot"
        try:
            role = await self.forge.role(repo, trigger.by.login, by=by)
        except NotFoundError:
            role = Role.NONE
        if not role.allows(Role.WRITE):
            return f"may not write there: {role}"
        return "" if issue.is_open else "the issue is closed"

    async def _open(self, repo: RepoRef, number: int, trigger: SolveTrigger) -> None:
        async with self.store.read() as db:
            running = await queries.open_solve_of(db, repo.url, number)
            user_id = await accounts.user_id(db, self.forge.url, trigger.by)
        _refuse_second(running)
        whose = user_id or self.unknown_user
        ask = await self._ask(repo, number, trigger)

        async def also(db: AsyncSession, solve_id: SolveId) -> None:
            # Lock the repository, so that a second trigger of the same issue sees this solve.
            await queries.hold_watch(db, watch_key(repo))
            _refuse_second(await queries.open_solve_of(db, repo.url, number, besides=solve_id))
            row = self._row(repo, number, trigger, TriggerState.OPENED)
            row.solve_id = solve_id
            await queries.add_trigger(db, row)

        make = partial(self._request, ask, trigger, user_id=whose)
        opened = await self.submitter.open_once(make, user_id=whose, key=None, also=also)
        log.info("trigger.opened", key=trigger.key, solve_id=opened.solve_id)

    async def _answer_question(
        self, repo: RepoRef, issue: ForgeIssue, trigger: SolveTrigger, said: str
    ) -> None:
        """Answer for a person who may write; our comment on the issue tells what follows."""
        login = trigger.by.login
        async with self.store.read() as db:
            question, choice = await find_answer(db, repo, issue.number, said)
            solve = await solves.get(db, question.solve_id)
            user_id = await accounts.user_id(db, self.forge.url, trigger.by)

        async def also(db: AsyncSession) -> None:
            # In one transaction: processed twice, it would answer the next question, too.
            row = self._row(repo, issue.number, trigger, TriggerState.ANSWERED)
            row.solve_id = solve.id
            await queries.add_trigger(db, row)

        answer = Answer(question.id, choice, user_id or login, login)
        await self.answerer.give(solve.id, answer, owner_id=solve.user_id, also=also)

    async def _request(self, ask: SolveAsk, trigger: SolveTrigger, *, user_id: str) -> SolveRequest:
        request = await self.submitter.request(ask, user_id=user_id)
        origin = Origin(kind=trigger.kind, login=trigger.by.login, url=trigger.url)
        return request.model_copy(update={"origin": origin})

    async def _ask(self, repo: RepoRef, number: int, trigger: SolveTrigger) -> SolveAsk:
        command = _command(trigger)
        await self._check_models(command.models)
        meant = triggers.over(command, read_options(self.matrix))
        if meant.models:
            matrix = Matrix(models=meant.models)
        else:
            matrix = await default_matrix(self.catalogue, self.chat_model)
        subject = {"issue_number": number, "issue": None, "repo_url": repo.url}
        ask = from_command(meant.model_copy(update=subject), place=Place("", ""), matrix=matrix)
        # A request at the forge is answered there, unless the operator disabled publishing.
        is_never = self.publish is PublishMode.NEVER
        return ask.model_copy(
            update={"publish": PublishMode.NEVER if is_never else PublishMode.AUTO}
        )

    async def _check_models(self, names: Sequence[str]) -> None:
        """Check here: a later refusal would ask for a price, which a comment cannot give."""
        models = [entry.model for entry in await self.catalogue.list()]
        listing, ids = Listing(models), {model.model_id for model in models}
        for name in names:
            if name in ids or name.startswith(SCRIPTED_PREFIX) or listing.find(name) is not None:
                continue
            near = listing.nearest(name)
            meant = f": did you mean {' or '.join(near)}?" if near else ": name another one"
            raise _FixableError(f"there is no model {name} here{meant}")

    async def _refuse(
        self, repo: RepoRef, issue: ForgeIssue, trigger: SolveTrigger, error: RefusedError
    ) -> None:
        why = str(error)
        is_new = await self._note(repo, issue, trigger, TriggerState.REFUSED, note=why)
        if not is_new:
            return
        if not _is_fixable(error, trigger):
            log.warning("trigger.not_started", repo=repo.full, number=issue.number, error=why)
        elif trigger.kind is OriginKind.COMMENT and self._may_answer:
            # Labels are not answered.
            done = "answered" if triggers.is_answer(trigger.words) else "started"
            await self._reply(repo, issue.number, f"Nothing was {done}", why)

    @property
    def _may_answer(self) -> bool:
        return self.answers and self.publish is not PublishMode.NEVER

    async def _reply(self, repo: RepoRef, number: int, head: str, why: str) -> None:
        """Reply at most once: the refusal is already stored."""
        body = f"{OUR_MARK}answer -->\n{head}:\n\n{fence(why, limit=_MAX_WHY)}\n"
        try:
            by = await self.credentials.writing(repo, user_id="")
            await self.forge.add_comment(repo, number, body, by=by)
        except (ForgeError, RefusedError) as error:
            log.warning("trigger.not_answered", repo=repo.full, number=number, error=str(error))

    async def _note(
        self,
        repo: RepoRef,
        issue: ForgeIssue,
        trigger: SolveTrigger,
        state: TriggerState,
        *,
        note: str,
    ) -> bool:
        """Store the trigger; False when another process did at the same time."""
        row = self._row(repo, issue.number, trigger, state)
        row.note = note[:_MAX_WHY]
        try:
            async with self.store.change() as db:
                await queries.add_trigger(db, row)
        except AlreadyRecordedError:
            return False
        log.info("trigger.passed_over", key=trigger.key, state=state, note=note)
        return True

    def _row(
        self, repo: RepoRef, number: int, trigger: SolveTrigger, state: TriggerState
    ) -> TriggerRow:
        return TriggerRow(
            key=trigger.key,
            repo_url=repo.url,
            issue_number=number,
            login=trigger.by.login,
            state=state,
            at=self.clock.now(),
        )


def watch_key(repo: RepoRef) -> str:
    """Key of a repository; names at a forge are case-insensitive."""
    return repo.url.lower()


def _is_before(labelling: Labelling, watch: WatchRow) -> bool:
    """Whether the label is older than our first poll of the repository."""
    return watch.issues_since == FIRST and labelling.at < watch.comments_since - OVERLAP_S


def _of_label(
    repo: RepoRef, issue: ForgeIssue, labelling: Labelling, *, is_answered: bool
) -> SolveTrigger:
    url = issue.url or repo.issue_url(issue.number)
    objection = "answered before this database was created" if is_answered else ""
    key = label_key(repo, labelling)
    return SolveTrigger(key, OriginKind.LABEL, labelling.by, url, objection=objection)


def _of_comments(repo: RepoRef, comments: Sequence[Comment], *, since: float) -> list[SolveTrigger]:
    """Commands in new comments. Editing an old comment requests nothing."""
    return [
        SolveTrigger(comment_key(repo, one), OriginKind.COMMENT, one.author, one.url, words)
        for one in comments
        if one.created_at >= since and (words := triggers.find_command(one.body)) is not None
    ]


def _is_fixable(error: RefusedError, trigger: SolveTrigger) -> bool:
    """Whether the author can fix it: an option of the command, not a setting, was refused."""
    if isinstance(error, _FixableError):
        return True
    command = _command(trigger)
    return any(getattr(command, name) not in (None, ()) for name in _SAID.get(error.field, ()))


def _answer_of(trigger: SolveTrigger) -> str | None:
    with _fixable():
        return triggers.parse_answer(trigger.words)


@contextmanager
def _fixable() -> Generator[None]:
    try:
        yield
    except AlreadyRecordedError:
        raise
    except RefusedError as error:
        raise _FixableError(str(error)) from None


def _command(trigger: SolveTrigger) -> SolveCommand:
    if trigger.kind is OriginKind.LABEL:
        return SolveCommand()
    try:
        command = triggers.parse_command(trigger.words)
    except RefusedError as error:
        raise _FixableError(str(error)) from None
    if any(map(is_script, command.models)):
        # Replies come from a file of this machine, which people at the forge must not choose.
        raise _FixableError("a comment cannot use scripted models: name one from the models table")
    return command


def _refuse_second(running: SolveId | None) -> None:
    if running is not None:
        raise _FixableError(
            f"this issue is already being solved (solve {short(running)}): wait for its end"
        )
