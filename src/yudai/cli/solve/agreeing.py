"""The question before money is spent."""

import asyncio
import sys

import typer


async def agreed() -> bool:
    """Nothing is asked when nobody can answer; while it waits, Ctrl-C works as ever."""
    stdin = sys.stdin
    if stdin is None or not stdin.isatty():
        return True
    typer.echo("Start? [Y/n] ", nl=False, err=True)
    loop = asyncio.get_running_loop()
    answered: asyncio.Future[str] = loop.create_future()
    loop.add_reader(stdin, lambda: answered.done() or answered.set_result(stdin.readline()))
    try:
        answer = await answered
    finally:
        loop.remove_reader(stdin)
    return answer.strip().lower() in ("y", "yes") or answer == "\n"
