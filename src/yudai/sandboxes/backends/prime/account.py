"""An account at Prime: its calls with our types, deadlines and errors."""

import asyncio
import math
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

from prime_sandboxes import (
    CreateSandboxRequest,
    SandboxImagePullError,
    SandboxNotRunningError,
    SandboxStatus,
)
from prime_sandboxes.models import validate_egress_lists

from yudai.kit.concurrency import BackgroundTasks
from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.network.addresses import PRIVATE, without_login
from yudai.sandboxes.backends.prime.client import make_client, talk
from yudai.sandboxes.backends.prime.errors import (
    VENDORS,
    DownError,
    UnreachedError,
    asking,
    translate,
)
from yudai.sandboxes.backends.prime.readiness import Patience, Readiness, ReadinessPoll
from yudai.sandboxes.backends.remote.cloud import (
    INSTALLATION,
    SANDBOX_TAG,
    BaseGoneError,
    BusyError,
    ConnectionCutError,
    DeniedError,
    Found,
    FullError,
    GoneError,
    MachineOutput,
    MachineSpec,
    NoAnswerError,
)

_GIB = 1 << 30
_IMAGE_GB = 2
"""The disk also holds the image, which our limit does not include."""
_MARGIN_MINUTES = 2
_LONGEST_MINUTES = 24 * 60
_LONGEST_LABEL = 100
_LONGEST_NAME = 60
_ANYWHERE = "*"


class Egress(NamedTuple):
    """One of them is None. An empty list of allowed hosts closes everything."""

    allow: list[str] | None
    deny: list[str] | None


def creation_request(machine_spec: MachineSpec, image: str) -> CreateSandboxRequest:
    limits, rules = machine_spec.limits, egress(machine_spec.hosts)
    minutes = min(_minutes(limits.lifetime_s) + _MARGIN_MINUTES, _LONGEST_MINUTES)
    return CreateSandboxRequest(
        name=machine_spec.key[:_LONGEST_NAME],
        docker_image=None if machine_spec.image else image,
        checkpoint_id=machine_spec.image or None,
        cpu_cores=max(1, math.ceil(limits.processors)),
        memory_gb=max(1, math.ceil(limits.memory_bytes / _GIB)),
        disk_size_gb=None
        if machine_spec.image
        else math.ceil(limits.disk_bytes / _GIB) + _IMAGE_GB,
        timeout_minutes=minutes,
        # Its lifetime cannot be extended, but every command restarts this clock.
        idle_timeout_minutes=min(_minutes(machine_spec.ttl_s), minutes),
        labels=labels(machine_spec.tags),
        network_allowlist=rules.allow,
        network_denylist=rules.deny,
        idempotency_key=machine_spec.key,
    )


def egress(hosts: Sequence[str]) -> Egress:
    """DeniedError: Prime does not support such a rule."""
    if _ANYWHERE in hosts:
        return Egress(None, list(PRIVATE))
    try:
        validate_egress_lists(list(hosts), None)
    except ValueError as error:
        raise DeniedError(f"Prime does not support this network policy: {error}") from error
    return Egress(list(hosts), None)


def labels(tags: Mapping[str, str]) -> list[str]:
    return [label(name, value) for name, value in tags.items() if value]


def label(name: str, value: str) -> str:
    return f"{name}={value}"[:_LONGEST_LABEL]


def tags_of(labels: Sequence[str]) -> dict[str, str]:
    """Labels of other users' machines may be anything."""
    return {name: value for name, is_ours, value in map(_parts, labels) if is_ours}


def _parts(text: str) -> tuple[str, str, str]:
    return text.partition("=")


def _minutes(seconds: float) -> int:
    return max(1, math.ceil(seconds / 60))


_OVER = frozenset({"ERROR", "TERMINATED", "TIMEOUT"})
_PER_PAGE = 50
_UPLOAD_S = 300
_LAST_WORDS_S = 10.0
_TURNS = 3


class Timings(NamedTuple):
    call_s: float = 60.0
    """For one call: the client itself waits 40 s when it is rate limited."""
    patience: Patience = Patience()
    snapshot_s: float = 900.0


class Account:
    def __init__(self, api_key: str, base_url: str | None, home: Path, timings: Timings) -> None:
        try:
            self._client = make_client(api_key, base_url, home)
        except (OSError, RuntimeError, ValueError) as error:
            raise DeniedError(f"Prime's client cannot be set up: {error}") from error
        self._timings = timings
        self.chores = BackgroundTasks(patience_s=_LAST_WORDS_S)
        self.arrivals = ReadinessPoll(self._news, timings.patience)

    async def make(self, machine_spec: MachineSpec, image: str) -> str:
        """Its key makes a retry safe; still, look for the machine first."""
        request = creation_request(machine_spec, image)
        ours = {name: machine_spec.tags[name] for name in (INSTALLATION, SANDBOX_TAG)}
        try:
            return await self._make(request)
        except DownError as error:
            found = await self._look_up(ours)
            if found:
                return found[0].id
            raise BusyError(str(error), retry_after_s=error.retry_after_s) from error
        except NoAnswerError:
            found = await self.find(ours)
            return found[0].id if found else await self._make(request)

    async def find(self, tags: Mapping[str, str]) -> list[Found]:
        """List all pages, without ended machines."""
        wanted = {label(name, value) for name, value in tags.items()}
        # Whether a paused one is active, Prime does not say.
        active = [found async for found in self._pages(wanted, exclude_terminated=True)]
        paused = [found async for found in self._pages(wanted, status="PAUSED")]
        return list({found.id: found for found in [*active, *paused]}.values())

    async def look(self) -> None:
        """One call that any valid key may make."""
        async with self._asking("the request to Prime failed"):
            await self._client.list(per_page=1)

    async def kill(self, machine_id: str) -> bool:
        """False: it was gone before we asked."""
        try:
            async with self._asking(f"the sandbox {machine_id} could not be removed"):
                await self._client.delete(machine_id)
        except GoneError:
            return False
        except SandboxError as error:
            if not await self._has_ended(machine_id):
                raise
            # By us, where it is only the answer that was lost.
            return isinstance(error, NoAnswerError)
        return True

    async def check(self, machine_id: str) -> None:
        """GoneError when it has ended, with its reason."""
        async with self._asking(f"the sandbox {machine_id} could not be looked up"):
            seen = await self._client.get(machine_id)
        failure = _failure(machine_id, seen.status, seen.error_type, seen.error_message)
        if failure is not None:
            raise failure

    async def allow(self, machine_id: str, hosts: Sequence[str]) -> None:
        """Until the new rules hold."""
        rules = egress(hosts)
        async with self._asking("the network of a sandbox could not be changed"):
            if rules.allow == []:
                status = await self._client.set_network(machine_id, deny=["*"])
            else:
                status = await self._client.set_network(
                    machine_id, allow=rules.allow, deny=rules.deny
                )
            while not status.applied:
                await asyncio.sleep(0.2)
                status = await self._client.get_network(machine_id)

    async def talk(self, machine_id: str, line: str, max_bytes: int) -> MachineOutput:
        try:
            return await talk(self._client, machine_id, line, max_bytes)
        except VENDORS as error:
            broken = translate(error, "the connection to a sandbox broke")
            raise await self._explain(machine_id, broken) from error

    async def upload(self, machine_id: str, path: str, content: bytes) -> None:
        name = path.rpartition("/")[2]
        try:
            async with asking("a file could not be sent", _UPLOAD_S + self._timings.call_s):
                await self._client.upload_bytes(machine_id, path, content, name, timeout=_UPLOAD_S)
        except SandboxError as error:
            raise await self._explain(machine_id, error) from error

    async def checkpoint(self, machine_id: str) -> str:
        """After a lost answer, the newest checkpoint: only we make one of this machine."""
        try:
            async with self._asking("a checkpoint could not be created"):
                return (await self._client.checkpoint(machine_id)).id
        except NoAnswerError:
            async with self._asking("checkpoints could not be listed"):
                kept = await self._client.list_checkpoints(machine_id)
            if not kept:
                raise
            return kept[-1].id

    async def until_durable(self, checkpoint: str) -> None:
        async with asking("a checkpoint was not stored", self._timings.snapshot_s):
            await self._client.wait_for_checkpoint(checkpoint, self._timings.snapshot_s)

    async def is_durable(self, checkpoint: str) -> bool:
        async with self._asking("a checkpoint could not be looked up"):
            return (await self._client.get_checkpoint(checkpoint)).state == "DURABLE"

    async def delete_checkpoint(self, checkpoint: str) -> None:
        async with self._asking("a checkpoint could not be removed"):
            await self._client.delete_checkpoint(checkpoint)

    async def close(self) -> None:
        await self.chores.close()
        await self.arrivals.close()
        await self._client.aclose()
        for _ in range(_TURNS):
            # A closed connection is released in the loop's next turns, if it has any.
            await asyncio.sleep(0)

    @asynccontextmanager
    async def _asking(self, doing: str) -> AsyncGenerator[None]:
        try:
            async with asking(doing, self._timings.call_s):
                yield
        except UnreachedError as error:
            at = without_login(self._client.client.base_url)
            raise UnreachedError(
                f"Prime cannot be reached at {at}: check PRIME_API_BASE_URL and the network"
            ) from error

    async def _make(self, request: CreateSandboxRequest) -> str:
        try:
            async with self._asking("a sandbox could not be created"):
                return (await self._client.create(request)).id
        except GoneError as error:
            if request.checkpoint_id:
                raise BaseGoneError(f"the prepared base is gone: {error}") from error
            raise DeniedError(str(error)) from error

    async def _has_ended(self, machine_id: str) -> bool:
        try:
            await self.check(machine_id)
        except GoneError:
            return True
        except SandboxError:
            return False
        return False

    async def _look_up(self, tags: Mapping[str, str]) -> list[Found]:
        """[] also when that is not known: its key keeps it from being made twice."""
        try:
            return await self.find(tags)
        except (BusyError, DownError):
            return []

    async def _explain(self, machine_id: str, error: SandboxError) -> SandboxError:
        """Check whether the connection broke or the machine died, because both look the same."""
        if isinstance(error, DeniedError | BusyError | FullError):
            return error
        try:
            await self.check(machine_id)
        except GoneError as gone:
            return gone
        except SandboxError:
            pass
        return ConnectionCutError(str(error))

    async def _pages(self, labels: set[str], **query: Any) -> AsyncGenerator[Found]:
        page, has_next = 1, True
        while has_next:
            async with self._asking("sandboxes could not be listed"):
                answer = await self._client.list(
                    labels=sorted(labels), page=page, per_page=_PER_PAGE, **query
                )
            for seen in answer.sandboxes:
                if seen.status not in _OVER and labels <= set(seen.labels):
                    tags = tags_of(seen.labels)
                    yield Found(seen.id, tags, seen.status.lower(), seen.created_at.timestamp())
            page, has_next = page + 1, answer.has_next

    async def _news(self, names: Sequence[str]) -> dict[str, Readiness]:
        async with self._asking("the state of sandboxes could not be read"):
            answer = await self._client.get_sandbox_statuses(list(names))
        gone = {
            missing.sandbox_id: Readiness("", GoneError(f"the sandbox is gone: {missing.code}"))
            for missing in answer.errors
        }
        return gone | {
            seen.sandbox_id: Readiness(
                seen.status.value,
                _failure(seen.sandbox_id, seen.status.value, seen.error_type, seen.error_message),
                is_building=seen.status is SandboxStatus.PENDING
                and bool(seen.pending_image_build_id),
            )
            for seen in answer.statuses
        }


def _failure(
    machine_id: str, status: str, kind: str | None, message: str | None
) -> SandboxError | None:
    if status not in _OVER:
        return None
    type_ = SandboxImagePullError if kind == "IMAGE_PULL_FAILED" else SandboxNotRunningError
    said = ", ".join(filter(None, [status, kind, message]))
    return translate(type_(machine_id, message=said), f"the sandbox {machine_id} has ended")
