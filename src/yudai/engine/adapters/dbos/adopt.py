"""Requeues the work of a dead worker, in a process of its own: DBOS is a singleton per process.

On launch DBOS recovers the unfinished workflows of its executor id. So it is launched under the
dead worker's id, without listening to any queue, until no workflow is pending under that id.
"""

import asyncio
import signal
import subprocess
import sys
import time

from dbos import DBOS

from yudai.engine.adapters.dbos.configuration import EngineConfig, dbos_settings, forward_log
from yudai.engine.adapters.dbos.contract import VERSION
from yudai.kit.ids import WorkerId

TIMEOUT_S = 60
_POLL_S = 0.05
_POOL = 2


async def adopt(config: EngineConfig, dead: WorkerId, *, timeout_s: float = TIMEOUT_S) -> None:
    """Return when all of its workflows are queued again. Idempotent."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", __name__),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    asked = config.model_copy(update={"executor_id": dead})
    try:
        async with asyncio.timeout(timeout_s):
            # Not as an argument: the configuration has the password, and arguments are public.
            _, words = await process.communicate(asked.model_dump_json().encode())
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        why = words.decode(errors="replace").strip().rpartition("\n")[2]
        raise RuntimeError(f"adopting {dead} ended with {process.returncode}: {why}")


def main() -> None:
    # The parent process may die before it can end this one.
    signal.alarm(TIMEOUT_S)
    config = EngineConfig.model_validate_json(sys.stdin.buffer.read())
    forward_log()
    _queue_again(config)


def _queue_again(config: EngineConfig) -> None:
    DBOS(config=dbos_settings(config, pool_size=_POOL))
    DBOS.listen_queues([])
    DBOS.launch()
    while DBOS.list_workflows(
        status="PENDING",
        executor_id=config.executor_id,
        app_version=VERSION,
        load_input=False,
        load_output=False,
    ):
        time.sleep(_POLL_S)
    DBOS.destroy()


if __name__ == "__main__":
    main()
