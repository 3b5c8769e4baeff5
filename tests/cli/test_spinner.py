"""Work that takes a while says so."""

import asyncio
import io
import re

import pytest
from rich.console import Console

from yudai.cli.spinner import working


def console(*, is_terminal: bool) -> Console:
    return Console(file=io.StringIO(), width=80, force_terminal=is_terminal, color_system=None)


def written(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


async def test_elsewhere_it_is_a_line_at_the_start_and_one_at_the_end():
    to = console(is_terminal=False)
    async with working(to, "preparing\x1b[31m the base"):
        assert written(to) == "preparing\ufffd[31m the base …\n"
    end = written(to).splitlines()[1]
    assert end.startswith("preparing\ufffd[31m the base: done after ")


async def test_what_fails_is_not_done():
    to = console(is_terminal=False)
    with pytest.raises(ValueError, match="no"):
        async with working(to, "work"):
            raise ValueError("no")
    assert "work: stopped after" in written(to)


async def test_a_terminal_is_left_alone_when_it_is_quick():
    to = console(is_terminal=True)
    async with working(to, "work"):
        await asyncio.sleep(0)
    assert written(to) == ""


async def test_a_terminal_sees_a_spinner_with_the_time_and_no_trace_of_it_later():
    to = console(is_terminal=True)
    async with working(to, "work", patience_s=0.0):
        while "work" not in written(to):  # noqa: ASYNC110 - the display has no event to wait for
            await asyncio.sleep(0.01)
    assert re.search(r"work  \d", written(to))
    assert written(to).endswith("\x1b[2K")


async def test_a_display_that_breaks_does_not_break_the_work():
    to = console(is_terminal=True)
    to.file.close()
    done = False
    async with working(to, "work", patience_s=0.0):
        await asyncio.sleep(0.02)
        done = True
    assert done
