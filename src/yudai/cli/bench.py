"""`yudai bench NAME`: run a measurement and print its ratio beside its target."""

import tempfile
from pathlib import Path

from rich.console import Console

from yudai.cli.exits import OK
from yudai.cli.text import print_json
from yudai.domain.value import Value


async def run_overhead(*, rounds: int, json: bool) -> int:
    from yudai.bench import overhead

    with tempfile.TemporaryDirectory(prefix="yudai-bench-") as home:
        return _print(await overhead.measure(Path(home), rounds=rounds), json=json)


async def run_sandbox(*, rounds: int, json: bool) -> int:
    from yudai.bench import sandbox

    with tempfile.TemporaryDirectory(prefix="yudai-bench-") as home:
        return _print(await sandbox.measure(Path(home), rounds=rounds), json=json)


def _print(result: Value, *, json: bool) -> int:
    if json:
        print_json(result.model_dump(mode="json"))
    else:
        Console(highlight=False).print(result)
    return OK
