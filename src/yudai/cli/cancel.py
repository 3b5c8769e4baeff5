"""`yudai cancel`: end a solve that another process runs."""

from rich.console import Console

from yudai.cli import consoles
from yudai.cli.exits import OK
from yudai.cli.render import print_document
from yudai.cli.waiting import working
from yudai.domain.ids import SolveId, short
from yudai.domain.solve_state import SolveState
from yudai.ports.engine import Engine
from yudai.services.cancelling import Canceller
from yudai.services.reading import Reader
from yudai.services.stopping import Stopper
from yudai.settings import Settings
from yudai.wiring import known_flows, open_library


async def run_cancel(settings: Settings, target: str, *, json: bool) -> int:
    async with open_library(settings) as library:
        reader, progress = library.reader, consoles.progress()
        solve_id = SolveId((await reader.solve(target)).id)
        state = await cancel(reader, solve_id, known_flows(settings), progress)
        if json:
            print_document(await reader.document(solve_id))
        else:
            consoles.result().print(_said(solve_id, state), soft_wrap=True)
    return OK


async def cancel(reader: Reader, solve_id: SolveId, flows: Engine, progress: Console) -> SolveState:
    """Ask for its end and wait for it; what state it then has."""
    stopper = Stopper(reader.store, reader.clock)
    canceller = Canceller(reader.store, flows, reader.clock, stopper)
    await canceller.request(solve_id)
    async with working(progress, f"ending solve {short(solve_id)}"):
        return await canceller.settle(solve_id)


def _said(solve_id: SolveId, state: SolveState) -> str:
    if state is SolveState.CANCELLED:
        return f"Solve {short(solve_id)} is cancelled; what its runs had done is kept."
    return f"Solve {short(solve_id)} came to its own end first: it is {state}."
