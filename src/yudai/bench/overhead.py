"""What our loop costs per step against bare mini-SWE-agent's, on the same replies."""

from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from yudai.bench.bare import run_bare
from yudai.bench.ours import Ours, open_ours
from yudai.kit.value import Value

TARGETS = {20: 1.3, 250: 1.0}

# Each prints about 4 KB; the first one also leaves a file, so that there is a patch to take.
_EDIT = "seq 1000 1818 | tee numbers.txt"
_PRINT = "seq 1000 1818"
_WARM_UP = 5


class Pace(Value):
    """Medians per step, the last one being the finish."""

    steps: int
    bare_ms: float
    ours_ms: float
    """From the sandbox's start until the patch is taken and every message is stored."""
    ratio: float
    target: float | None


class OverheadBench(Value):
    rounds: int
    paces: tuple[Pace, ...]


async def measure(home: Path, *, steps: tuple[int, ...] = (20, 250), rounds: int) -> OverheadBench:
    """Ratio in one run; the sides take turns, so that a busy moment of the machine hits both."""
    async with open_ours(home) as ours:
        # The very first of each side pays for imports and caches that a worker pays once.
        await _both(ours, home, _WARM_UP)
        paces = [await _pace(ours, home, number, rounds) for number in steps]
    return OverheadBench(rounds=rounds, paces=tuple(paces))


async def _pace(ours: Ours, home: Path, steps: int, rounds: int) -> Pace:
    times = [await _both(ours, home, steps) for _ in range(rounds)]
    bare_s, ours_s = (median(side) for side in zip(*times, strict=True))
    return Pace(
        steps=steps,
        bare_ms=round(bare_s / steps * 1000, 3),
        ours_ms=round(ours_s / steps * 1000, 3),
        ratio=round(ours_s / bare_s, 3),
        target=TARGETS.get(steps),
    )


async def _both(ours: Ours, home: Path, steps: int) -> tuple[float, float]:
    commands = [_EDIT, *[_PRINT] * (steps - 2)]
    with TemporaryDirectory(dir=home) as folder:
        return run_bare(commands, Path(folder)), await ours.run(commands)
