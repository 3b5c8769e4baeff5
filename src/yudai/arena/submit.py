"""From what was asked over HTTP to a solve, once for each key."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from sqlalchemy.ext.asyncio import AsyncSession

from yudai.arena.forge_issue import ForgeIssueReader
from yudai.arena.open import Also, SolveRequest, Solves, Terms
from yudai.artifacts import queries as artifacts
from yudai.artifacts.port import ArtifactRef
from yudai.artifacts.source_archives import Sources
from yudai.forge.ports.folder import Forge
from yudai.gateway.catalogue import Catalogue
from yudai.gateway.domain.models import is_script
from yudai.kit.clock import Clock
from yudai.kit.errors import NotFoundError, RefusedError, about
from yudai.kit.hints import MODELS
from yudai.kit.ids import ConversationId, SolveId
from yudai.kit.text import nearest
from yudai.projects.domain.project import Project
from yudai.projects.find import Given, base_of, find_project
from yudai.solves import idempotency
from yudai.solves.domain.budget import Budget
from yudai.solves.domain.matrix import DEFAULT_AGENT, check_size
from yudai.solves.domain.origin import PublishMode
from yudai.solves.domain.request import Folder, Remote, SolveAsk
from yudai.solves.idempotency import IdempotencyKey, KeyReusedError, KeyTakenError
from yudai.store.store import Store

__all__ = ["IdempotencyKey", "KeyReusedError", "SolveAsk", "Submitted", "Submitter"]

Make = Callable[[], Awaitable[SolveRequest]]


class Submitted(NamedTuple):
    solve_id: SolveId
    replayed: bool
    """The same request, with the same key, had made it before."""


@dataclass(frozen=True)
class Submitter:
    forge: Forge
    """For folders of this machine."""
    own_env: Path | None
    """Our own Python environment: it has pytest, for repositories that need nothing else."""
    catalogue: Catalogue
    solves: Solves
    store: Store
    clock: Clock
    defaults: Budget
    """For limits that are not given; its number of contestants is the most there can be."""
    sandbox_backend: str
    agents: tuple[str, ...] = (DEFAULT_AGENT,)
    sources: Sources | None = None
    """Where archives of folders go, when workers are on other machines."""
    remotes: ForgeIssueReader | None = None
    """None: no forge is asked."""
    takes_folders: bool = True
    """Not where others than this machine's own person ask: its folders are none of theirs."""
    takes_scripts: bool = True
    """Not where they do either: a scripted model is a file of this machine."""

    async def submit(
        self,
        ask: SolveAsk,
        *,
        user_id: str,
        conversation_id: ConversationId | None = None,
        key: IdempotencyKey | None = None,
        also: Also | None = None,
    ) -> SolveId:
        """Look at what was asked, open the solve, have its flow started.

        What else belongs to it is written in the same transaction.
        """
        sender = _Sender(user_id, conversation_id, key)
        make = partial(self.request, ask, user_id=user_id)
        return (await self._once(make, sender, more=also)).solve_id

    async def submit_once(
        self, ask: SolveAsk, *, user_id: str, key: IdempotencyKey | None
    ) -> Submitted:
        """As `submit`, and says whether the key had been used for it before."""
        make = partial(self.request, ask, user_id=user_id)
        return await self.open_once(make, user_id=user_id, key=key)

    async def open_once(
        self, make: Make, *, user_id: str, key: IdempotencyKey | None, also: Also | None = None
    ) -> Submitted:
        """Open the solve that is made, unless its key had done so before."""
        return await self._once(make, _Sender(user_id, None, key), more=also)

    async def _once(self, make: Make, sender: "_Sender", *, more: Also | None = None) -> Submitted:
        if earlier := await self._earlier(sender):
            return earlier
        whose = {"user_id": sender.user_id, "conversation_id": sender.conversation_id}
        request = (await make()).model_copy(update=whose)
        sent_ref = await self._keep_source(request)

        async def also(db: AsyncSession, solve_id: SolveId) -> None:
            now = self.clock.now()
            if sent_ref is not None:
                await artifacts.add(db, solve_id, None, sent_ref, at=now)
            await idempotency.keep(db, sender.user_id, sender.key, resource_id=solve_id, at=now)
            if more is not None:
                await more(db, solve_id)

        try:
            return Submitted(await self.solves.open_solve(request, also=also), replayed=False)
        except KeyTakenError:
            earlier = await self._earlier(sender)
            if earlier is None:
                raise
            return earlier

    async def _earlier(self, sender: "_Sender") -> Submitted | None:
        if sender.key is None:
            return None
        async with self.store.read() as db:
            made = await idempotency.find(db, sender.user_id, sender.key)
        return None if made is None else Submitted(SolveId(made), replayed=True)

    async def _keep_source(self, request: SolveRequest) -> ArtifactRef | None:
        if self.sources is None or request.base is None:
            return None
        return await self.sources.keep(request.base)

    async def request(
        self, ask: SolveAsk, *, user_id: str, forge: Forge | None = None
    ) -> SolveRequest:
        """Look at what was asked, through another forge if one is given; nothing is opened.

        RefusedError for all that is wrong with it, with the field where there is one.
        """
        check_size(ask.matrix)
        for agent in ask.matrix.agents:
            if agent not in self.agents:
                near = nearest(agent, self.agents)
                raise RefusedError(f"there is no agent {agent!r}: {near}", field="matrix.agents")
        if not self.takes_scripts and any(map(is_script, ask.matrix.models)):
            raise RefusedError(
                "this server takes no scripted models: name one of ",
                MODELS,
                field="matrix.models",
            )
        ask = await self._named(ask)
        place = ask.place
        if isinstance(place, Folder):
            self._check_folder(ask)
            with about(ask.place_field):
                return await self._folder_request(ask, place, forge or self.forge)
        return await self._remote_request(ask, place, user_id=user_id)

    async def _folder_request(self, ask: SolveAsk, folder: Folder, forge: Forge) -> SolveRequest:
        terms, issue = await self._terms(ask), ask.issue
        try:
            snapshot = await forge.snapshot(folder.path, base=ask.base_branch, dirty=ask.dirty)
        except NotFoundError as error:
            # What was asked is there; what it names is not.
            raise RefusedError(*error.message, field=error.field) from error
        project = await find_project(forge, snapshot, given_of(ask))
        env = Path(ask.env) if ask.env else None if project.setup else self.own_env
        return SolveRequest(
            **dict(terms.model_copy(update={"project": project})),
            repo=snapshot.repo,
            issue=issue,
            base=base_of(snapshot, project, env),
            base_branch=snapshot.branch,
            base_commit=snapshot.commit,
            snapshot=snapshot,
        )

    def _check_folder(self, ask: SolveAsk) -> None:
        if not self.takes_folders:
            raise RefusedError(
                "this server takes no folders: give repo_url, as owner/name", field=ask.place_field
            )
        if ask.publish in (PublishMode.ASK, PublishMode.AUTO):
            raise RefusedError("a folder takes no pull request: leave publish out", field="publish")

    async def _remote_request(self, ask: SolveAsk, remote: Remote, *, user_id: str) -> SolveRequest:
        """The repository and the issue as they are now; a worker fetches the code."""
        if ask.dirty or ask.env:
            raise RefusedError(
                "dirty and env are of a folder of this machine: give repo_path",
                field="dirty" if ask.dirty else "env",
            )
        if self.remotes is None:
            raise RefusedError("this server asks no forge: give repo_path", field="repo_url")
        terms = await self._terms(ask)
        subject = await self.remotes.subject(ask, remote, user_id=user_id)
        return SolveRequest(
            **dict(terms),
            repo=subject.repo.full,
            repo_url=subject.repo.url,
            issue=subject.issue,
            issue_facts=subject.facts,
            publish=subject.publish,
            base_branch=subject.base_branch,
        )

    async def _terms(self, ask: SolveAsk) -> Terms:
        """Models, matrix and limits, checked before anybody looks at the repository."""
        with about("matrix.models"):
            models = await self.catalogue.resolve(ask.matrix.models, prices=ask.known_prices)
        setup = ask.setup_commands
        terms = Terms(
            matrix=ask.matrix.model_copy(update={"models": tuple(model.name for model in models)}),
            budget=ask.limits.budget(self.defaults),
            models=models,
            reducer=ask.reducer,
            require_proof=ask.require_proof,
            sandbox_backend=self.sandbox_backend,
            project=Project(
                setup=setup or (),
                setup_from="" if setup is None else "setup",
                test=ask.test,
                test_from="test" if ask.test else "",
            ),
        )
        self.solves.check(terms)
        return terms

    async def _named(self, ask: SolveAsk) -> SolveAsk:
        """What only a provider calls so gets the name that the models table has for it."""
        models = [entry.model for entry in await self.catalogue.list()]
        known = {name for model in models for name in (model.name, *model.aliases)}
        ids = {model.model_id: model.name for model in models if model.model_id not in known}
        names = tuple(ids.get(name, name) for name in ask.matrix.models)
        prices = {ids.get(name, name): price for name, price in ask.prices.items()}
        matrix = ask.matrix.model_copy(update={"models": names})
        return ask.model_copy(update={"matrix": matrix, "prices": prices})


class _Sender(NamedTuple):
    user_id: str
    conversation_id: ConversationId | None
    key: IdempotencyKey | None


def given_of(ask: SolveAsk) -> Given:
    return Given(setup=ask.setup_commands, test=ask.test, has_env=bool(ask.env))
