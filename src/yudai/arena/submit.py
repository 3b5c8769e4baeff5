"""Turns an HTTP request into a solve, once per idempotency key."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy.ext.asyncio import AsyncSession

from yudai.arena.forge_issue import ForgeIssueReader
from yudai.arena.judge_again import request_again
from yudai.arena.open import Also, SolveRequest, Solves
from yudai.arena.plan import Plan
from yudai.arena.read_patches import PatchReader
from yudai.artifacts import queries as artifacts
from yudai.artifacts.port import ArtifactRef
from yudai.artifacts.source_archives import Sources
from yudai.forge.domain.issue_text import ContestantsIssue
from yudai.forge.ports.folder import Forge
from yudai.gateway.catalogue import Catalogue, Entry
from yudai.gateway.domain.models import Provider, is_script
from yudai.kit.clock import Clock
from yudai.kit.errors import NotFoundError, RefusedError, about
from yudai.kit.hints import MODELS
from yudai.kit.ids import ConversationId, SolveId
from yudai.kit.text import nearest
from yudai.projects.domain.project import Project
from yudai.projects.find import Given, base_of, find_project
from yudai.ranking.domain.reducer import check_reducer
from yudai.solves import idempotency
from yudai.solves.domain.again import AgainAsk
from yudai.solves.domain.asked_patch import contestants_of
from yudai.solves.domain.budget import Budget, Entrants, enter
from yudai.solves.domain.matrix import DEFAULT_AGENT, Matrix
from yudai.solves.domain.origin import PublishMode
from yudai.solves.domain.request import Folder, Remote, SolveAsk
from yudai.solves.domain.strategies import Strategy
from yudai.solves.idempotency import IdempotencyKey, KeyReusedError, KeyTakenError
from yudai.store.store import Store

# The cheap, fast model of three makers: makers differ more than temperatures do.
_DIFFERENT = ("openai/gpt-5-mini", "anthropic/claude-haiku-4.5", "google/gemini-2.5-flash")
_OWN = "local-solo"
_MOST_OWN = 3
__all__ = ["IdempotencyKey", "KeyReusedError", "SolveAsk", "Submitted", "Submitter"]

Make = Callable[[], Awaitable[SolveRequest]]


class Submitted(NamedTuple):
    solve_id: SolveId
    replayed: bool
    """An earlier request with the same key opened it."""


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
    """Defaults for limits; its number of contestants is also the maximum."""
    sandbox_backend: str
    agents: tuple[str, ...] = (DEFAULT_AGENT,)
    sources: Sources | None = None
    """Storage for archives of folders, if workers are on other machines."""
    remotes: ForgeIssueReader | None = None
    """None: no forge is configured."""
    patch_reader: PatchReader | None = None
    """None: no patches are taken."""
    takes_folders: bool = True
    """Refuse folders if other people use this server, because they must not read them."""
    takes_scripts: bool = True
    """Refuse scripted models as well, because they are files of this machine."""
    closed: str = ""
    """Why requests are refused; empty: they are accepted."""

    async def submit(
        self,
        ask: SolveAsk,
        *,
        user_id: str,
        conversation_id: ConversationId | None = None,
        key: IdempotencyKey | None = None,
        also: Also | None = None,
    ) -> Submitted:
        """Check the request, open its solve and start the flow, once for each key.

        What else belongs to it is written in the same transaction.
        """

        async def make() -> SolveRequest:
            request = await self.request(ask, user_id=user_id)
            named = {"conversation_id": conversation_id, "user_id": user_id}
            request = request.model_copy(update=named)
            if not ask.patches:
                return request
            return await self._patch_reader().pinned(ask, request, given_of(ask))

        return await self.open_once(make, user_id=user_id, key=key, also=also)

    async def submit_again(
        self, solve_id: SolveId, ask: AgainAsk, *, user_id: str, key: IdempotencyKey | None = None
    ) -> Submitted:
        """Open a solve with the patches of an earlier one."""

        async def make() -> SolveRequest:
            return await self.request_again(solve_id, ask)

        return await self.open_once(make, user_id=user_id, key=key)

    async def request_again(self, solve_id: SolveId, ask: AgainAsk) -> SolveRequest:
        if self.closed:
            raise RefusedError(self.closed)
        request = await request_again(self.store, self.sources, solve_id, ask)
        return request.model_copy(update={"sandbox_backend": self.sandbox_backend})

    async def open_once(
        self, make: Make, *, user_id: str, key: IdempotencyKey | None, also: Also | None = None
    ) -> Submitted:
        """Open the solve, unless a request with its key did so before."""
        if earlier := await self._earlier(user_id, key):
            return earlier
        request = (await make()).model_copy(update={"user_id": user_id})
        sent_ref = await self._keep_source(request)

        async def more(db: AsyncSession, solve_id: SolveId) -> None:
            now = self.clock.now()
            if sent_ref is not None:
                await artifacts.add(db, solve_id, None, sent_ref, at=now)
            await idempotency.keep(db, user_id, key, resource_id=solve_id, at=now)
            if also is not None:
                await also(db, solve_id)

        try:
            return Submitted(await self.solves.open_solve(request, also=more), replayed=False)
        except KeyTakenError:
            earlier = await self._earlier(user_id, key)
            if earlier is None:
                raise
            return earlier

    async def with_patches(self, ask: SolveAsk, plan: Plan) -> SolveRequest:
        """The plan's request with its patches, put onto its base and stored."""
        return await self._patch_reader().read(ask, plan) if ask.patches else plan.request

    def _patch_reader(self) -> PatchReader:
        if self.patch_reader is None:
            raise RefusedError("this server takes no patches", field="patches")
        return self.patch_reader

    async def _earlier(self, user_id: str, key: IdempotencyKey | None) -> Submitted | None:
        async with self.store.read() as db:
            made = None if key is None else await idempotency.find(db, user_id, key)
        return None if made is None else Submitted(SolveId(made), replayed=True)

    async def _keep_source(self, request: SolveRequest) -> ArtifactRef | None:
        if self.sources is None or request.base is None:
            return None
        return await self.sources.keep(request.base)

    async def request(
        self,
        ask: SolveAsk,
        *,
        user_id: str,
        forge: Forge | None = None,
        needs_keys: bool = True,
    ) -> SolveRequest:
        """Check the request, through another forge if given, without opening a solve.

        RefusedError names the field if possible.
        """
        if self.closed:
            raise RefusedError(self.closed)
        self._check_contestants(ask.matrix)
        ask = await self._named(ask)
        place = ask.place
        if isinstance(place, Folder):
            self._check_folder(ask)
            find = partial(self._in_folder, ask, place, forge or self.forge, user_id)
        else:
            find = partial(self._at_forge, ask, place, self._asked_forge(ask), user_id)
        return SolveRequest(
            entrants=await self._entrants(ask, needs_keys=needs_keys),
            reducer=ask.reducer,
            require_proof=ask.require_proof,
            sandbox_backend=self.sandbox_backend,
            **await find(),
        )

    def _check_contestants(self, matrix: Matrix) -> None:
        for agent in matrix.agents:
            if agent not in self.agents:
                near = nearest(agent, self.agents)
                raise RefusedError(f"there is no agent {agent!r}: {near}", field="matrix.agents")
        if not self.takes_scripts and any(map(is_script, matrix.models)):
            raise RefusedError(
                "this server allows no scripted models: name one of ",
                MODELS,
                field="matrix.models",
            )

    def _check_folder(self, ask: SolveAsk) -> None:
        if not self.takes_folders:
            raise RefusedError(
                "this server allows no folders: give repo_url, as owner/name", field=ask.place_field
            )
        if ask.publish in (PublishMode.ASK, PublishMode.AUTO):
            raise RefusedError("a folder cannot have a pull request: omit publish", field="publish")

    def _asked_forge(self, ask: SolveAsk) -> ForgeIssueReader:
        for name in ("dirty", "env", "issue_repo"):
            if getattr(ask, name):
                said = f"{name} needs a folder on this machine: give repo_path"
                raise RefusedError(said, field=name)
        if self.remotes is None:
            raise RefusedError("this server has no forge: give repo_path", field="repo_url")
        return self.remotes

    async def _entrants(self, ask: SolveAsk, *, needs_keys: bool) -> Entrants:
        """Models, matrix and limits: they are checked before the repository is read."""
        with about("matrix.models"):
            models = await self.catalogue.resolve(ask.matrix.models, prices=ask.known_prices)
        budget = ask.limits.budget(self.defaults)
        check_reducer(ask.reducer)
        if needs_keys:
            with about("matrix.models"):
                for model in models:
                    self.solves.gateway.check(model)
        return enter(ask.matrix, models, budget, patches=contestants_of(ask.patches))

    async def _in_folder(
        self, ask: SolveAsk, folder: Folder, forge: Forge, user_id: str
    ) -> dict[str, Any]:
        issue, facts = ask.issue, None
        if ask.issue_repo and ask.issue_number is not None:
            issue, facts = await self._issue_elsewhere(ask, user_id)
        with about(ask.place_field):
            try:
                snapshot = await forge.snapshot(folder.path, base=ask.base_branch, dirty=ask.dirty)
            except NotFoundError as error:
                # The address exists, so this is no 404: the request names something that does not.
                raise RefusedError(*error.message, field=error.field) from error
            project = await find_project(forge, snapshot, given_of(ask))
        env = Path(ask.env) if ask.env else None if project.setup else self.own_env
        return {
            "repo": snapshot.repo,
            "issue": issue,
            "issue_facts": facts,
            "project": project,
            "base": base_of(snapshot, project, env),
            "base_branch": snapshot.branch,
            "base_commit": snapshot.commit,
            "snapshot": snapshot,
        }

    async def _issue_elsewhere(self, ask: SolveAsk, user_id: str) -> ContestantsIssue:
        if self.remotes is None:
            raise RefusedError("this server asks no forge: give issue_text", field="issue_repo")
        return await self.remotes.issue_of_folder(ask, user_id=user_id)

    async def _at_forge(
        self, ask: SolveAsk, remote: Remote, remotes: ForgeIssueReader, user_id: str
    ) -> dict[str, Any]:
        """The repository and the issue as they are now; a worker fetches the code."""
        subject = await remotes.subject(ask, remote, user_id=user_id)
        setup = ask.setup_commands
        return {
            "repo": subject.repo.full,
            "repo_url": subject.repo.url,
            "issue": subject.issue,
            "issue_facts": subject.facts,
            "project": Project(
                setup=setup or (),
                setup_from="" if setup is None else "setup",
                test=ask.test,
                test_from="test" if ask.test else "",
            ),
            "publish": subject.publish,
            "base_branch": subject.base_branch,
        }

    async def _named(self, ask: SolveAsk) -> SolveAsk:
        """Replace a provider's name for a model by its name in the models table."""
        models = [entry.model for entry in await self.catalogue.list()]
        known = {name for model in models for name in (model.name, *model.aliases)}
        ids = {model.model_id: model.name for model in models if model.model_id not in known}
        names = tuple(ids.get(name, name) for name in ask.matrix.models)
        prices = {ids.get(name, name): price for name, price in ask.prices.items()}
        matrix = ask.matrix.model_copy(update={"models": names})
        return ask.model_copy(update={"matrix": matrix, "prices": prices})


def given_of(ask: SolveAsk) -> Given:
    return Given(setup=ask.setup_commands, test=ask.test, has_env=bool(ask.env))


async def default_matrix(catalogue: Catalogue, chat_model: str | None = None) -> Matrix:
    """A few different contestants, when a request names no models.

    RefusedError when no endpoint is configured.
    """
    routes = catalogue.routes
    if routes.openrouter and not routes.everything_local:
        return Matrix(models=_DIFFERENT)
    if routes.local or routes.everything_local:
        names = _own(await catalogue.list()) or (chat_model or _OWN,)
        # With one model, vary temperature and strategy.
        return Matrix(
            models=names,
            temperatures=(0.2, 0.8),
            strategies=(Strategy.BALANCED, Strategy.TEST_FIRST),
        )
    raise RefusedError(
        "no model is configured: set OPENROUTER_API_KEY or OPENAI_BASE_URL, or name a model"
    )


def _own(entries: Sequence[Entry]) -> tuple[str, ...]:
    """Models that were added for the user's own server."""
    own = [e.model for e in entries if e.edited and e.model.provider is Provider.LOCAL]
    return tuple(model.name for model in own if model.price is not None)[:_MOST_OWN]
