"""Queue again what a worker that died was running; a program, because DBOS is one per process.

DBOS takes up at its launch what its executor id has left unfinished. So it is launched once under
the dead one's id, listening to no queue, until nothing is left under that id.
"""

import asyncio
import signal
import subprocess
import sys
import time

from dbos import DBOS

from yudai.engine.adapters.dbos.configuration import EngineConfig, hear_log, settings_of
from yudai.engine.adapters.dbos.contract import VERSION
from yudai.kit.ids import WorkerId

TIMEOUT_S = 60
_POLL_S = 0.05
_POOL = 2


async def adopt(config: EngineConfig, dead: WorkerId, *, timeout_s: float = TIMEOUT_S) -> None:
    """Return when others have been offered all of it; doing it twice is the same as once."""
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
            # Not as an argument, which everybody here could read: it has the password.
            _, words = await process.communicate(asked.model_dump_json().encode())
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        why = words.decode(errors="replace").strip().rpartition("\n")[2]
        raise RuntimeError(f"adopting {dead} ended with {process.returncode}: {why}")


def main() -> None:
    # Whoever asked may be dead by then.
    signal.alarm(TIMEOUT_S)
    config = EngineConfig.model_validate_json(sys.stdin.buffer.read())
    hear_log()
    _queue_again(config)


def _queue_again(config: EngineConfig) -> None:
    DBOS(config=settings_of(config, pool_size=_POOL))
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
