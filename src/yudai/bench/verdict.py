"""What verdicts cost: judging against bare test runs, and solves against another checkout."""

import asyncio
import difflib
import json
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Mapping, Sequence
from pathlib import Path
from statistics import median

from yudai.kit.value import Value

PATCHES = 8
JUDGE_SUITE_S = 10.0
_SOLVE_SUITE_S = 60.0
_FILES = 20
_BASE_RUNS = 2
_HEAD = "from words import upper\n\n\n"
_SOURCE = 'def upper(text):\n    return text.upper() if text else "?"\n'
_RIGHT = 'def upper(text):\n    return text.upper() if text else ""\n'
_WRONG = 'def upper(text):\n    return text.upper() if text else "!"\n'
_TEST = f'{_HEAD}def test_empty():\n    assert upper("") == ""\n'
_WRONG_TEST = f'{_HEAD}def test_empty():\n    assert upper("") != "?"\n'
_ISSUE = "`upper` of an empty text is wrong\n\n`upper('')` returns `'?'`. It should return `''`.\n"
# Exit codes of `yudai`: a champion, or none.
_ENDED = (0, 2)


class Cost(Value):
    """One way to spend time, beside the one it is compared with."""

    what: str
    ours_s: float
    other_s: float
    ratio: float
    target: float


class VerdictBench(Value):
    costs: tuple[Cost, ...]


async def measure(home: Path, *, against: Path | None, rounds: int) -> VerdictBench:
    """Medians of rounds in turns; `against`: a checkout with its environment set up."""
    costs = [await _judge(home / "judge", rounds)]
    if against is not None:
        folder, models = _solve_repository(home / "solve")
        solve = ["solve", str(folder), "--text", _ISSUE, *models, "--json"]
        title = f"a solve of 3 contestants, suite of {_SOLVE_SUITE_S:g} s"
        costs += [
            await _both(home, title, solve, against, target=1.35, rounds=1),
            await _both(home, "the demo", ["demo", "--json"], against, target=2.0, rounds=rounds),
        ]
    return VerdictBench(costs=tuple(costs))


async def _judge(home: Path, rounds: int) -> Cost:
    """Patches without tests of their own, against as many bare runs on the same cores."""
    folder = _repository(home / "repository", JUDGE_SUITE_S)
    patches: list[str] = []
    for number in range(PATCHES):
        path = home / f"answer{number}.patch"
        path.write_text(_patch("words.py", _SOURCE, f"{_RIGHT}\n\nKIND = {number}\n"))
        patches += ["--patch", str(path)]
    command = ["judge", str(folder), "--text", _ISSUE, *patches, "--json"]
    times: list[tuple[float, float]] = []
    for number in range(rounds):
        bare = await _timed(_bare(folder, PATCHES + _BASE_RUNS))
        place = home / f"home{number}"
        times.append((bare, await _timed(_yudai(_ours(), command, place))))
    what = f"judge {PATCHES} patches, against {PATCHES + _BASE_RUNS} bare runs of the suite"
    return cost(what, times, target=1.2)


async def _both(
    home: Path, what: str, command: Sequence[str], against: Path, *, target: float, rounds: int
) -> Cost:
    other = str(against / ".venv/bin/yudai")
    times: list[tuple[float, float]] = []
    for number in range(rounds):
        place = home / f"{command[0]}{number}"
        before = await _timed(_yudai(other, command, place / "other"))
        times.append((before, await _timed(_yudai(_ours(), command, place / "ours"))))
    return cost(what, times, target=target)


def cost(what: str, times: Sequence[tuple[float, float]], *, target: float) -> Cost:
    other, ours = (median(side) for side in zip(*times, strict=True))
    return Cost(
        what=what,
        ours_s=round(ours, 2),
        other_s=round(other, 2),
        ratio=round(ours / other, 3),
        target=target,
    )


async def _timed(work: Awaitable[None]) -> float:
    begun = time.perf_counter()
    await work
    return time.perf_counter() - begun


async def _bare(folder: Path, times: int) -> None:
    """As many at once as there are cores."""
    cores = asyncio.Semaphore(len(os.sched_getaffinity(0)))

    async def one() -> None:
        async with cores:
            command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
            await execute(command, folder, {}, (0,))

    async with asyncio.TaskGroup() as group:
        for _ in range(times):
            group.create_task(one())


async def _yudai(program: str, command: Sequence[str], home: Path) -> None:
    await execute([program, *command], Path("/"), {"YUDAI_HOME": str(home)}, _ENDED)


async def execute(
    command: Sequence[str], folder: Path, env: Mapping[str, str], expected: Sequence[int]
) -> None:
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=folder,
        env={**os.environ, **env},  # noqa: TID251 - a program as a person starts it
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    _, said = await process.communicate()
    if process.returncode not in expected:
        raise RuntimeError(f"{command[0]} ended with {process.returncode}: {said.decode()[-2000:]}")


def _ours() -> str:
    return str(Path(sys.executable).parent / "yudai")


def _solve_repository(home: Path) -> tuple[Path, list[str]]:
    """A right answer with a test, one without, and a wrong one with a test."""
    folder = _repository(home / "repository", _SOLVE_SUITE_S)
    answers = {
        "right": {"words.py": _RIGHT, "tests/test_empty.py": _TEST},
        "silent": {"words.py": f"{_RIGHT}\n\nKIND = 1\n"},
        "wrong": {"words.py": _WRONG, "tests/test_words.py": _WRONG_TEST},
    }
    models: list[str] = []
    for name, files in answers.items():
        script = home / f"{name}.json"
        writes = [
            {"say": f"Write {path}.", "run": f"cat > {path} <<'END'\n{text}END"}
            for path, text in files.items()
        ]
        script.write_text(json.dumps({"replies": [*writes, {"finish": True}]}))
        models += ["--model", f"scripted/{script}"]
    return folder, models


def _repository(folder: Path, seconds: float) -> Path:
    """Its tests compute for about this long on one core."""
    loops = round(_loops_per_second() * seconds / _FILES)
    work = f"def test_{{}}():\n    assert sum(1 for _ in range({loops})) == {loops}\n"
    (folder / "tests").mkdir(parents=True)
    (folder / "words.py").write_text(_SOURCE)
    (folder / "conftest.py").write_text("")
    (folder / "tests/test_upper.py").write_text(
        f'{_HEAD}def test_upper():\n    assert upper("a") == "A"\n'
    )
    for number in range(_FILES):
        (folder / f"tests/test_{number}.py").write_text(work.format(number))
    identity = ["-c", "user.name=bench", "-c", "user.email=bench@example.invalid"]
    for command in (["init", "--quiet"], ["add", "."], [*identity, "commit", "-qm", "base"]):
        subprocess.run(["git", *command], cwd=folder, check=True)  # noqa: S603, S607 - constant
    return folder


def _loops_per_second() -> float:
    loops = 2_000_000
    begun = time.perf_counter()
    sum(1 for _ in range(loops))
    return loops / (time.perf_counter() - begun)


def _patch(path: str, before: str, after: str) -> str:
    old, new = (text.splitlines(keepends=True) for text in (before, after))
    return "".join(difflib.unified_diff(old, new, f"a/{path}", f"b/{path}"))
