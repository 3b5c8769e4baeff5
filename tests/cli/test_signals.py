"""Signals of a process that stays, as its caller sees them."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

STAYING = """
import asyncio, sys
from yudai.cli.signals import stay_until_signal

async def stay(stubborn):
    print("ready", flush=True)
    try:
        await asyncio.Event().wait()
    finally:
        print("closing", flush=True)
        if stubborn:
            await asyncio.sleep(60)
        print("closed", flush=True)

sys.exit(stay_until_signal(stay(len(sys.argv) > 1)))
"""


class Staying:
    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", STAYING, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.says("ready")

    def says(self, word: str) -> None:
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == f"{word}\n"

    def end(self) -> tuple[int, str, str]:
        out, err = self.process.communicate(timeout=20)
        return self.process.returncode, out, err


@pytest.fixture
def stubborn() -> Iterator[Staying]:
    staying = Staying("stubborn")
    yield staying
    staying.process.kill()
    staying.process.communicate()


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130), (signal.SIGHUP, 129)]
)
def test_the_first_signal_ends_it_gently(number: signal.Signals, code: int):
    staying = Staying()
    staying.process.send_signal(number)
    assert staying.end() == (code, "closing\nclosed\n", "")


@pytest.mark.parametrize(("second", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_the_second_one_ends_it_at_once(stubborn: Staying, second: signal.Signals, code: int):
    stubborn.process.send_signal(signal.SIGTERM)
    stubborn.says("closing")
    stubborn.process.send_signal(second)
    assert stubborn.end() == (code, "", "")


def test_nohup_keeps_the_hangup_away(tmp_path: Path):
    script = "import signal, sys; signal.signal(signal.SIGHUP, signal.SIG_IGN);" + STAYING
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
