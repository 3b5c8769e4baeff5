"""`yudai publish`: a pull request with the champion's patch, or where it is already."""

from yudai.cli import console as consoles
from yudai.cli.exit_codes import OK
from yudai.cli.publishing import OwnDesk, publish
from yudai.cli.records.choose import find_server
from yudai.cli.text import print_json
from yudai.publishing.publication_views import PublicationView
from yudai.publishing.requests import Publications
from yudai.settings import Settings
from yudai.wiring import make_backend, open_library


async def run_publish(settings: Settings, target: str, *, json: bool) -> int:
    server = await find_server(settings)
    if server is None:
        seen = await _publish_here(settings, target, json=json)
    else:
        seen = await _publish_there(settings, server.url, target, json=json)
    if json:
        print_json(seen.model_dump(mode="json"))
    return OK


async def _publish_here(settings: Settings, target: str, *, json: bool) -> PublicationView:
    # Only here: a forge's client costs start-up time.
    from yudai.wiring.forge import open_forging

    console = consoles.progress() if json else consoles.result()
    async with open_library(settings) as library:
        reader = library.reader
        solve_id = (await reader.document(target)).solve.id
        backend = make_backend(settings, store=library.store)
        try:
            async with open_forging(settings, reader, backend=backend) as forging:
                asked = Publications(reader.store, reader.clock, forging.forge.url)
                return await publish(OwnDesk(forging.publisher, asked), solve_id, console)
        finally:
            await backend.close()


async def _publish_there(
    settings: Settings, url: str, target: str, *, json: bool
) -> PublicationView:
    # Only here: an HTTP client costs start-up time.
    from yudai.cli.records.http_records import open_server_records
    from yudai.cli.serverdesk import ServerDesk

    console = consoles.progress() if json else consoles.result()
    async with open_server_records(url, home=settings.home) as records:
        solve_id = (await records.document(target)).solve.id
        return await publish(ServerDesk(records.remote), solve_id, console)
