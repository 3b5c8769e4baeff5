"""Solves that are asked for at a forge: by a label, or by a comment of whoever may write there."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.accounts import queries as accounts
from yudai.arena.default_lineup import default_matrix
from yudai.arena.forge_issue import Looked
from yudai.arena.open import SolveRequest
from yudai.arena.submit import Submitter
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
from yudai.solves.domain.matrix import Matrix
from yudai.solves.domain.origin import Origin, OriginKind, PublishMode
from yudai.solves.domain.request import SolveAsk
from yudai.solves.domain.slash_command import Place, SolveCommand, from_command, read_options
from yudai.store.store import Store
from yudai.triggers import trigger_rows as heard_triggers
from yudai.triggers import watches
from yudai.triggers.domain import commands as triggers
from yudai.triggers.domain.commands import TriggerState, comment_key, label_key, last_labelling
from yudai.triggers.tables import TriggerRow, WatchRow
from yudai.triggers.trigger_rows import HeardError

log: structlog.stdlib.BoundLogger = structlog.get_logger()

OVERLAP_S = 5.0
"""Looked through twice: a forge does not show all at the moment that it happens."""
LATE_S = 600.0
"""What a webhook tells of a repository that nobody has looked at yet is at most so old."""
FIRST = 0.0
"""Where `issues_since` stands before a repository was looked through."""
_MAX_WHY = 1000
# An App's comments are a bot's.
_NO_PERSON = (CredentialKind.APP, CredentialKind.ANONYMOUS)
_SAID = {
    "matrix": ("models", "temperatures", "strategies", "max_edits"),
    "limits.budget_usd": ("budget_usd",),
}
"""Which options a refusal is about, by its field: other fields are not for comments."""


class Calling(NamedTuple):
    """Something at the forge that asks for a solve."""

    key: str
    kind: OriginKind
    by: Account
    url: str
    words: str = ""
    """What stands behind `/yudai`."""
    objection: str = ""
    """Why it is passed over, whoever asks."""


class _MendableError(RefusedError):
    """Whoever wrote the comment can do something about it; all else is the operator's."""


@dataclass(frozen=True)
class Triggers:
    store: Store
    clock: Clock
    forge: Looked
    credentials: Credentials
    submitter: Submitter
    catalogue: Catalogue
    label: str
    matrix: str = ""
    """GITHUB_MATRIX: who competes where the command does not say."""
    chat_model: str | None = None
    unknown_user: str = LOCAL_USER
    """Whose solves are those that people ask for who never logged in here."""
    answers: bool = True
    """Whether those who may ask are told why nothing was started."""
    publish: PublishMode = PublishMode.AUTO
    """GITHUB_PUBLISH: with `never` nothing is written there, whoever asks for it there."""

    async def hear(self, repo: RepoRef, number: int) -> int:
        """Look at an issue as it is now; how many solves were opened.

        Also a webhook is only a hint: what it says is never taken for true.
        """
        by = await self.credentials.reading(repo, user_id="")
        watch = await self._watch(repo)
        try:
            issue = await self.forge.issue(repo, number, by=by)
        except NotFoundError:
            return 0
        if issue.is_pull_request:
            return 0
        callings = await self._callings(repo, issue, watch, by=by)
        async with self.store.read() as db:
            known = await heard_triggers.heard(db, [one.key for one in callings])
        opened = 0
        for calling in callings:
            if calling.key not in known:
                opened += await self._heed(repo, issue, calling, by=by)
        return opened

    async def _watch(self, repo: RepoRef) -> WatchRow:
        url = watch_key(repo)
        async with self.store.read() as db:
            watch = await watches.find(db, url)
        if watch is not None:
            return watch
        async with self.store.change() as db:
            await watches.begin(db, url, at=self.clock.now() - LATE_S)
        return await self._watch(repo)

    async def _callings(
        self, repo: RepoRef, issue: ForgeIssue, watch: WatchRow, *, by: Credential
    ) -> list[Calling]:
        found: list[Calling] = []
        last: Labelling | None = None
        # A label says how things stand: on an issue that is closed it waits for its reopening.
        if issue.is_open and self.label.lower() in {name.lower() for name in issue.labels}:
            labellings = await self.forge.labellings(repo, issue.number, by=by)
            last = last_labelling(issue, labellings, self.label)
        comments = await self.forge.comments(repo, issue.number, by=by) if issue.comments else ()
        if last is not None:
            is_answered = _is_before(last, watch) and await self._is_answered(comments, by=by)
            found.append(_of_label(repo, issue, last, is_answered=is_answered))
        return found + _of_comments(repo, comments, since=watch.comments_since - OVERLAP_S)

    async def _is_answered(self, comments: Sequence[Comment], *, by: Credential) -> bool:
        """Whether we have been here, also when our database knows nothing of it."""
        marked = [one.author for one in comments if OUR_MARK in one.body]
        if not marked or any(map(is_bot, marked)):
            return bool(marked)
        if by.kind in _NO_PERSON:
            return False
        try:
            own = by.login or (await self.forge.whoami(by=by)).login
        except ForbiddenError:
            # A token of no person, such as a workflow's: its comments are a bot's, too.
            return False
        return own.lower() in {author.login.lower() for author in marked}

    async def _heed(
        self, repo: RepoRef, issue: ForgeIssue, calling: Calling, *, by: Credential
    ) -> bool:
        why = await self._objection(repo, issue, calling, by=by)
        if why:
            await self._note(repo, issue, calling, TriggerState.IGNORED, note=why)
            return False
        try:
            await self._open(repo, issue.number, calling)
        except HeardError:
            return False
        except RefusedError as error:
            await self._refuse(repo, issue, calling, error)
            return False
        return True

    async def _objection(
        self, repo: RepoRef, issue: ForgeIssue, calling: Calling, *, by: Credential
    ) -> str:
        """Why it is passed over without a word; "" when it is not."""
        if calling.objection:
            return calling.objection
        if is_bot(calling.by):
            return "a bot"
        try:
            role = await self.forge.role(repo, calling.by.login, by=by)
        except NotFoundError:
            role = Role.NONE
        if not role.allows(Role.WRITE):
            return f"may not write there: {role}"
        return "" if issue.is_open else "the issue is closed"

    async def _open(self, repo: RepoRef, number: int, calling: Calling) -> None:
        async with self.store.read() as db:
            going_on = await heard_triggers.going_on(db, repo.url, number)
            user_id = await accounts.user_id(db, self.forge.url, calling.by)
        _refuse_second(going_on)
        whose = user_id or self.unknown_user
        ask = await self._ask(repo, number, calling)

        async def also(db: AsyncSession, solve_id: SolveId) -> None:
            # Two that ask for the same issue at once: the second sees the first one's solve.
            await watches.hold(db, watch_key(repo))
            _refuse_second(await heard_triggers.going_on(db, repo.url, number, besides=solve_id))
            row = self._row(repo, number, calling, TriggerState.OPENED)
            row.solve_id = solve_id
            await heard_triggers.add(db, row)

        make = partial(self._request, ask, calling, user_id=whose)
        opened = await self.submitter.open_once(make, user_id=whose, key=None, also=also)
        log.info("trigger.opened", key=calling.key, solve_id=opened.solve_id)

    async def _request(self, ask: SolveAsk, calling: Calling, *, user_id: str) -> SolveRequest:
        request = await self.submitter.request(ask, user_id=user_id)
        origin = Origin(kind=calling.kind, login=calling.by.login, url=calling.url)
        return request.model_copy(update={"origin": origin})

    async def _ask(self, repo: RepoRef, number: int, calling: Calling) -> SolveAsk:
        command = _command(calling)
        await self._check_models(command.models)
        meant = triggers.over(command, read_options(self.matrix))
        if meant.models:
            matrix = Matrix(models=meant.models)
        else:
            matrix = await default_matrix(self.catalogue, self.chat_model)
        subject = {"issue_number": number, "issue": None, "repo_url": repo.url}
        ask = from_command(meant.model_copy(update=subject), place=Place("", ""), matrix=matrix)
        # Whoever asks there wants the answer there, unless the operator wants none there.
        is_never = self.publish is PublishMode.NEVER
        return ask.model_copy(
            update={"publish": PublishMode.NEVER if is_never else PublishMode.AUTO}
        )

    async def _check_models(self, names: Sequence[str]) -> None:
        """Here, since a later refusal tells how to give a price, which nobody can in a comment."""
        models = [entry.model for entry in await self.catalogue.list()]
        listing, ids = Listing(models), {model.model_id for model in models}
        for name in names:
            if name in ids or name.startswith(SCRIPTED_PREFIX) or listing.find(name) is not None:
                continue
            near = listing.nearest(name)
            meant = f": did you mean {' or '.join(near)}?" if near else ": name another one"
            raise _MendableError(f"there is no model {name} here{meant}")

    async def _refuse(
        self, repo: RepoRef, issue: ForgeIssue, calling: Calling, error: RefusedError
    ) -> None:
        why = str(error)
        is_new = await self._note(repo, issue, calling, TriggerState.REFUSED, note=why)
        if not is_new:
            return
        if not _is_mendable(error, calling):
            log.warning("trigger.not_started", repo=repo.full, number=issue.number, error=why)
        elif calling.kind is OriginKind.COMMENT and self._may_answer:
            # A label says nothing that wants an answer.
            await self._answer(repo, issue.number, why)

    @property
    def _may_answer(self) -> bool:
        return self.answers and self.publish is not PublishMode.NEVER

    async def _answer(self, repo: RepoRef, number: int, why: str) -> None:
        """Once at the most: it is noted as refused already."""
        body = f"{OUR_MARK}answer -->\nNothing was started:\n\n{fence(why, limit=_MAX_WHY)}\n"
        try:
            by = await self.credentials.writing(repo, user_id="")
            await self.forge.add_comment(repo, number, body, by=by)
        except (ForgeError, RefusedError) as error:
            log.warning("trigger.not_answered", repo=repo.full, number=number, error=str(error))

    async def _note(
        self,
        repo: RepoRef,
        issue: ForgeIssue,
        calling: Calling,
        state: TriggerState,
        *,
        note: str,
    ) -> bool:
        """False when somebody else has heard it at the same moment."""
        row = self._row(repo, issue.number, calling, state)
        row.note = note[:_MAX_WHY]
        try:
            async with self.store.change() as db:
                await heard_triggers.add(db, row)
        except HeardError:
            return False
        log.info("trigger.passed_over", key=calling.key, state=state, note=note)
        return True

    def _row(self, repo: RepoRef, number: int, calling: Calling, state: TriggerState) -> TriggerRow:
        return TriggerRow(
            key=calling.key,
            repo_url=repo.url,
            issue_number=number,
            login=calling.by.login,
            state=state,
            at=self.clock.now(),
        )


def watch_key(repo: RepoRef) -> str:
    """A forge's names are the same in any case."""
    return repo.url.lower()


def _is_before(labelling: Labelling, watch: WatchRow) -> bool:
    """Whether it was put on before we knew the repository, and nobody has looked through it yet."""
    return watch.issues_since == FIRST and labelling.at < watch.comments_since - OVERLAP_S


def _of_label(
    repo: RepoRef, issue: ForgeIssue, labelling: Labelling, *, is_answered: bool
) -> Calling:
    url = issue.url or repo.issue_url(issue.number)
    objection = "answered already, before this database began" if is_answered else ""
    key = label_key(repo, labelling)
    return Calling(key, OriginKind.LABEL, labelling.by, url, objection=objection)


def _of_comments(repo: RepoRef, comments: Sequence[Comment], *, since: float) -> list[Calling]:
    """By when they were written, not changed: an old one that is edited asks for nothing."""
    return [
        Calling(comment_key(repo, one), OriginKind.COMMENT, one.author, one.url, words)
        for one in comments
        if one.created_at >= since and (words := triggers.find_command(one.body)) is not None
    ]


def _is_mendable(error: RefusedError, calling: Calling) -> bool:
    """By whoever asks: not where the setting is at fault, and all that a label means is there."""
    if isinstance(error, _MendableError):
        return True
    command = _command(calling)
    return any(getattr(command, name) not in (None, ()) for name in _SAID.get(error.field, ()))


def _command(calling: Calling) -> SolveCommand:
    if calling.kind is OriginKind.LABEL:
        return SolveCommand()
    try:
        command = triggers.parse_command(calling.words)
    except RefusedError as error:
        raise _MendableError(str(error)) from None
    if any(map(is_script, command.models)):
        # Its replies would be read from a file of this machine, which is nobody's business there.
        raise _MendableError("scripted models are not for comments: name one of the models table")
    return command


def _refuse_second(going_on: SolveId | None) -> None:
    if going_on is not None:
        raise _MendableError(
            f"this issue is being solved already (solve {short(going_on)}): wait for its end"
        )
