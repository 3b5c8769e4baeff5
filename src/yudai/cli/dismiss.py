"""`yudai dismiss`: take no answer of a solve that awaits review."""

from yudai.cli import consoles
from yudai.cli.choosing import open_records
from yudai.cli.exits import OK
from yudai.cli.render import print_document
from yudai.domain.ids import short
from yudai.settings import Settings


async def run_dismiss(settings: Settings, target: str, *, reason: str, json: bool) -> int:
    async with open_records(settings) as records:
        # The newest of all, unlike what is cancelled: what goes on awaits no review.
        solve_id = (await records.document(target)).solve.id
        await records.dismiss(solve_id, reason)
        if json:
            print_document(await records.document(solve_id))
        else:
            said = f"Solve {short(solve_id)} is completed without an answer; its runs are kept."
            consoles.result().print(said, soft_wrap=True)
    return OK
