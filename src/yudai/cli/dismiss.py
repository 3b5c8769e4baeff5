"""`yudai dismiss`: take no answer of a solve that awaits review."""

from yudai.cli import console
from yudai.cli.exit_codes import OK
from yudai.cli.records.choose import open_records
from yudai.cli.show.result import print_document
from yudai.kit.ids import short
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
            console.result().print(said, soft_wrap=True)
    return OK
