"""Which flows of this machine are alive, asked from a process that runs none."""

from yudai.adapters.engines.in_process import InProcessEngine
from yudai.domain.ids import SolveId
from yudai.ports.engine import Engine
from yudai.settings import Settings


def known_flows(settings: Settings) -> Engine:
    return InProcessEngine(_refuse, settings.home / "flows")


async def _refuse(solve_id: SolveId) -> None:
    raise RuntimeError(f"flow {solve_id} was started by a process that only looks")
