"""A process that publishes one solve, for tests that end it somewhere on the way."""

import asyncio
import sys

from yudai.kit.ids import LOCAL_USER, SolveId
from yudai.publishing import publisher
from yudai.publishing.domain.publication import RESTING
from yudai.publishing.requests import Publications
from yudai.settings import Settings
from yudai.wiring import open_context
from yudai.wiring.forge import open_forge_services

# Whoever comes next need not wait for a minute, nor after a failure for five seconds.
publisher.LEASE_S = 1.0
publisher.FIRST_PAUSE_S = 0.05


async def main(solve_id: SolveId) -> None:
    settings = Settings()
    async with (
        open_context(settings) as context,
        open_forge_services(settings, context) as forge_services,
    ):
        asked = Publications(context.store, context.clock, forge_services.forge.url)
        if sys.argv[2] == "first":
            await asked.request(solve_id, actor=LOCAL_USER)
        while (await asked.view(solve_id)).state not in RESTING:
            await forge_services.publisher.sweep()
            await asyncio.sleep(0.05)


if __name__ == "__main__":
    asyncio.run(main(SolveId(sys.argv[1])))
