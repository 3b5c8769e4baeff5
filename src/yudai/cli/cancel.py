"""`yudai cancel`: end a solve, whoever runs it."""

from yudai.cli import console
from yudai.cli.exit_codes import OK
from yudai.cli.records.choose import open_records
from yudai.cli.show.result import print_document
from yudai.kit.ids import short
from yudai.settings import Settings


async def run_cancel(settings: Settings, target: str, *, json: bool) -> int:
    async with open_records(settings) as records:
        solve_id = await records.find(target)
        # One transaction: it is at rest when this returns; who runs it notices within a second.
        await records.cancel(solve_id)
        if json:
            print_document(await records.document(solve_id))
        else:
            said = f"Solve {short(solve_id)} is cancelled; what its runs had done is kept."
            console.result().print(said, soft_wrap=True)
    return OK
