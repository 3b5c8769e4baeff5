"""Routes of sandboxes that are elsewhere."""

import pytest

from tests.support.api_client import Place, client_of
from tests.support.sandbox_admin import SweptBackend, app_of, close_sandbox, open_sandbox, overseen
from yudai.kit.errors import SandboxError
from yudai.sandboxes.port import Fate, Leftover
from yudai.store.holders import DEAD_S

LEFT = Leftover(backend="e2b", id="m-1", owner="run-1", why="its process is dead", age_s=7)


async def test_open_sandboxes_are_listed_oldest_first(place: Place):
    await open_sandbox(place, "young")
    await open_sandbox(place, "old", silent_s=DEAD_S + 40)
    await open_sandbox(place, "closed")
    await close_sandbox(place, "closed", reaped=False)
    async with client_of(app_of(overseen(place))) as client:
        found = (await client.get("/api/sandboxes")).json()["sandboxes"]
    assert [(one["id"], one["held"]) for one in found] == [("old", False), ("young", True)]
    old = found[0]
    assert DEAD_S + 40 <= old.pop("age_s") < DEAD_S + 100
    assert old == {
        "id": "old",
        "backend": "e2b",
        "external": "m-old",
        "owner": "run-1",
        "base": "base",
        "held": False,
        "tags": {
            "solve": "",
            "run": "run-1",
            "conversation": "",
            "issue": "o/r#1",
            "user": "",
        },
    }


@pytest.mark.parametrize("dry_run", [True, False])
async def test_a_sweep_over_http(place: Place, dry_run: bool):  # noqa: FBT001 - pytest's
    backend, broken = SweptBackend([LEFT]), SweptBackend(error=SandboxError("the key is wrong"))
    async with client_of(app_of(overseen(place, e2b=backend, prime=broken))) as client:
        answer = await client.post("/api/sandboxes/reap", json={"dry_run": dry_run})
    assert answer.status_code == 200
    said = answer.json()
    assert said["dry_run"] is dry_run
    assert said["failures"] == [{"backend": "prime", "error": "the key is wrong"}]
    [leftover] = said["leftovers"]
    assert (leftover["id"], leftover["why"], leftover["fate"]) == ("m-1", LEFT.why, Fate.REAPED)
    assert backend.asked == [dry_run]


async def test_what_is_no_request_sweeps_nothing(place: Place):
    backend = SweptBackend([LEFT])
    async with client_of(app_of(overseen(place, e2b=backend))) as client:
        assert (
            await client.post("/api/sandboxes/reap", json={"dry_run": "maybe"})
        ).status_code == 422
        assert (await client.post("/api/sandboxes/reap")).status_code == 422
    assert backend.asked == []
