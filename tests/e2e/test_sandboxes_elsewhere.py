"""A whole solve in somebody else's sandboxes: the vendors' real clients, and what goes wrong."""

import json
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any, NamedTuple

import pytest

from tests.e2e.support.arena import Arena, document
from tests.e2e.support.small import FIX, TEST, make, right, solve
from tests.support.clouds.e2b_server import FakeE2B, Fault
from tests.support.clouds.fake_prime_sandboxes import KEY
from tests.support.clouds.faults import Faults
from tests.support.clouds.machine_users import needs_users
from tests.support.clouds.prime_server import prime_server
from tests.support.clouds.vm import VM

CREATE = "POST /v2/sandboxes"
NEVER_SHOWN = "e2b_wrong_key_that_is_never_shown"


class Elsewhere(NamedTuple):
    name: str
    variables: dict[str, str]
    faults: Faults
    tags: Callable[[], list[dict[str, str]]]
    """Of every sandbox that was ever asked for."""
    living: Callable[[], list[str]]
    machines: Callable[[], dict[str, VM]]
    die: Callable[[str], object]
    bare: Callable[[], int]
    """How many were asked for that are made of no base: each takes a clone and a set-up."""
    kept: Callable[[], int]
    """How many bases were made."""


@contextmanager
def _e2b(folder: Path) -> Generator[Elsewhere]:
    with FakeE2B(folder, env=Path(sys.prefix)) as e2b:
        given = {"E2B_API_KEY": e2b.key, "E2B_TEMPLATE_ID": "base", "SANDBOX_BACKEND": "e2b"}
        urls = {"E2B_API_URL": e2b.url, "E2B_SANDBOX_URL": e2b.url}

        def tags() -> list[dict[str, str]]:
            asked = [c for c in e2b.faults.calls if f"{c.method} {c.path}" == CREATE]
            return [call.json["metadata"] for call in asked]

        yield Elsewhere(
            "e2b",
            {**given, **urls, "E2B_CREATIONS_PER_SECOND": "50"},
            e2b.faults,
            tags,
            lambda: list(e2b.sandboxes),
            lambda: {
                name: sandbox.vm for name, sandbox in list(e2b.sandboxes.items()) if sandbox.vm
            },
            e2b.die,
            lambda: sum(_asks(e2b.faults, CREATE, "templateID", "base")),
            lambda: e2b.faults.count("POST /sandboxes/.*/snapshots"),
        )


@contextmanager
def _prime(folder: Path) -> Generator[Elsewhere]:
    with prime_server(folder, env=Path(sys.prefix)) as prime:
        given = {"PRIME_API_KEY": KEY, "PRIME_API_BASE_URL": prime.url, "SANDBOX_BACKEND": "prime"}

        def tags() -> list[dict[str, str]]:
            asked = [sandbox.labels for sandbox in prime.sandboxes.values()]
            return [dict(label.split("=", 1) for label in labels) for labels in asked]

        yield Elsewhere(
            "prime",
            given,
            prime.faults,
            tags,
            lambda: [sandbox.id for sandbox in prime.alive],
            lambda: {sandbox.id: sandbox.vm for sandbox in prime.alive if sandbox.vm},
            lambda name: prime.end(prime.sandboxes[name]),
            lambda: sum(_asks(prime.faults, "POST /api/v1/sandbox", "checkpoint_id", None)),
            lambda: prime.faults.count("POST /api/v1/sandbox/[^/]*/checkpoints"),
        )


def _asks(faults: Faults, route: str, name: str, value: str | None) -> list[bool]:
    asked = [call.json for call in faults.calls if f"{call.method} {call.path}" == route]
    return [words.get(name) == value for words in asked]


CLOUDS = {"e2b": _e2b, "prime": _prime}


@pytest.fixture(params=CLOUDS)
def there(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[Elsewhere]:
    with CLOUDS[request.param](tmp_path / "cloud") as there:
        yield there


@pytest.fixture
def e2b(tmp_path: Path) -> Generator[Elsewhere]:
    with _e2b(tmp_path / "cloud") as there:
        yield there


@pytest.fixture
def arena(tmp_path: Path) -> Arena:
    return Arena(tmp_path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make(tmp_path / "repository")


def champion(result: Any) -> dict[str, Any]:
    found = document(result)
    assert result.returncode == 0, (result.stderr, found["reason"])
    [run] = [run for run in found["ranking"] if run["run_id"] == found["solve"]["champion"]]
    return run


@pytest.mark.real_on("prime")
@needs_users
def test_a_solve_is_the_same_there(arena: Arena, folder: Path, there: Elsewhere):
    model = right(arena)

    result = solve(arena, folder, "--model", model, "--model", model, **there.variables)

    run = champion(result)
    assert run["verdict"]["status"] == "passed"
    assert there.living() == []
    solve_id = document(result)["solve"]["id"]
    asked = there.tags()
    assert len({tags["installation"] for tags in asked}) == 1
    assert len({tags["box"] for tags in asked}) == len(asked)
    own = [tags for tags in asked if tags.get("run") == run["run_id"]]
    assert own
    for tags in own:
        assert (tags["owner"], tags["solve"], tags["user"]) == (run["run_id"], solve_id, "local")
    # One clone and one set-up, however many sandboxes there are.
    assert (there.bare(), there.kept()) == (1, 1)
    listed = json.loads(arena("bases", "--json", **there.variables).stdout)
    assert [base["backend"] for base in listed["bases"]] == [there.name]
    assert json.loads(arena("reap", "--json", **there.variables).stdout)["leftovers"] == []


@pytest.mark.real
@needs_users
def test_clean_sandboxes_of_one_proof_are_copies(arena: Arena, folder: Path, e2b: Elsewhere):
    """They are the same run's, so that the metadata of the first is right for all."""
    result = solve(arena, folder, "--model", right(arena), **e2b.variables)

    assert champion(result)["verdict"]["status"] == "passed"
    forks = [call for call in e2b.faults.calls if call.path.endswith("/fork")]
    # Base's tests twice at the same time; base's and its own for the patch.
    assert [call.json["count"] for call in forks] == [1, 1]
    assert e2b.living() == []


@pytest.mark.real
@needs_users
def test_the_snapshot_does_where_there_are_no_copies(arena: Arena, folder: Path, e2b: Elsewhere):
    e2b.faults.add("POST /sandboxes/.*/fork", Fault(status=501), Fault(status=500), times=None)

    result = solve(arena, folder, "--model", right(arena), **e2b.variables)

    assert champion(result)["verdict"]["status"] == "passed"
    assert e2b.living() == []


@pytest.mark.real_on("e2b")
@needs_users
@pytest.mark.real
def test_a_sandbox_that_dies_under_a_run_costs_it_nothing(
    arena: Arena, folder: Path, there: Elsewhere
):
    """It is killed when the agent has edited; the run begins anew in another one, and is right."""
    model = right(arena, also="touch /tmp/waiting; while [ ! -e /tmp/go ]; do sleep 0.1; done")
    with Killer(there) as killer:
        result = solve(arena, folder, "--model", model, **there.variables)

    assert killer.killed == 1
    run = champion(result)
    assert run["verdict"]["status"] == "passed"
    assert there.living() == []
    assert "sandbox_lost" in result.stderr


class Killer:
    """Ends the machine in which an agent waits for a file; lets the next one go on."""

    def __init__(self, there: Elsewhere) -> None:
        self.killed = 0
        self._there = there
        self._over = Event()
        self._thread = Thread(target=self._watch)

    def __enter__(self) -> "Killer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(0.05):
            for name, machine in self._there.machines().items():
                if (machine.folder / "tmp" / "waiting").exists():
                    self._meet(name, machine)

    def _meet(self, name: str, machine: VM) -> None:
        if self.killed:
            (machine.folder / "tmp" / "go").touch()
        else:
            self._there.die(name)
            self.killed += 1


def test_a_wrong_key_is_one_line(arena: Arena, folder: Path, e2b: Elsewhere):
    wrong = {**e2b.variables, "E2B_API_KEY": NEVER_SHOWN}

    result = solve(arena, folder, "--model", right(arena), **wrong)

    assert result.returncode == 4
    assert result.stdout == ""
    assert "E2B_API_KEY" in result.stderr
    assert NEVER_SHOWN not in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert e2b.faults.count(CREATE) == 0


@pytest.mark.real
@needs_users
def test_a_storm_of_refusals_is_waited_for(arena: Arena, folder: Path, e2b: Elsewhere):
    e2b.faults.add(CREATE, Fault(status=429), Fault(status=503), Fault(status=429))

    result = solve(arena, folder, "--model", right(arena), **e2b.variables)

    assert champion(result)["verdict"]["status"] == "passed"
    assert e2b.living() == []


@pytest.mark.real
@needs_users
def test_a_lost_answer_makes_no_second_sandbox(arena: Arena, folder: Path, e2b: Elsewhere):
    e2b.faults.add(CREATE, Fault(after=True), Fault(after=True))

    result = solve(arena, folder, "--model", right(arena), **e2b.variables)

    champion(result)
    assert e2b.living() == []
    sandboxes = [tags["box"] for tags in e2b.tags()]
    assert len(set(sandboxes)) == len(sandboxes), "one was asked for twice"


@pytest.mark.real
@needs_users
def test_what_cannot_be_deleted_is_reaped_later(arena: Arena, folder: Path, e2b: Elsewhere):
    e2b.faults.add("DELETE /sandboxes/.*", Fault(status=403), times=None)
    result = solve(arena, folder, "--model", right(arena), **e2b.variables)
    champion(result)
    left = e2b.living()
    assert left
    e2b.faults.clear()

    told = json.loads(arena("reap", "--dry-run", "--json", **e2b.variables).stdout)
    assert len(told["leftovers"]) == len(left)
    assert sorted(e2b.living()) == sorted(left)
    done = arena("reap", **e2b.variables)

    assert done.returncode == 0, done.stderr
    assert e2b.living() == []


@pytest.mark.real
@needs_users
def test_the_agents_work_is_in_its_own_sandbox_alone(arena: Arena, folder: Path, e2b: Elsewhere):
    """Nothing of this machine is in there: no file, no variable, no key."""
    look = (
        f"cat {arena.root}/*.json; env; cat /proc/*/environ 2>/dev/null | tr '\\\\0' '\\\\n'; true"
    )
    model = arena.script("looker", {"run": [TEST, FIX, look]}, {"finish": True})

    result = solve(arena, folder, "--model", model, **e2b.variables)

    run = champion(result)
    shown = arena("show", run["run_id"], "--json", **e2b.variables).stdout
    secret = e2b.variables["E2B_API_KEY"]
    assert secret not in shown
    assert "YUDAI_HOME" not in shown
