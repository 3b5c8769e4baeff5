"""The commands about who you are, and their options."""

from collections.abc import Callable
from typing import Annotated

import typer

from yudai.cli import options
from yudai.cli.options import Json
from yudai.cli.signals import run_until_signal
from yudai.settings import Settings

Reading = Callable[[str], Settings]


def add_to(app: typer.Typer, settings: Reading) -> None:
    @app.command()
    def login(
        *,
        no_open: Annotated[
            bool, typer.Option("--no-open", help="Print the address without opening a browser.")
        ] = False,
        server: options.ServerUrl = "",
        json: Json = False,
    ) -> int:
        """Log in to a server, or to the forge for this machine alone."""
        from yudai.cli.accounts.login import run_login

        return run_until_signal(run_login(settings(server), opens=not no_open, json=json))

    @app.command()
    def logout(*, server: options.ServerUrl = "", json: Json = False) -> int:
        """Log out: revoke the key on the server and delete it here."""
        from yudai.cli.accounts.login import run_logout

        return run_until_signal(run_logout(settings(server), json=json))

    @app.command()
    def whoami(*, server: options.ServerUrl = "", json: Json = False) -> int:
        """Print who is logged in; exits with 4 if no one is."""
        from yudai.cli.accounts.login import run_whoami

        return run_until_signal(run_whoami(settings(server), json=json))

    _ = login, logout, whoami
    app.add_typer(_keys(settings), name="keys", invoke_without_command=True)


def _keys(settings: Reading) -> typer.Typer:
    keys = typer.Typer(help="List, create and revoke API keys on a server.")

    @keys.callback()
    def list_keys(
        context: typer.Context, *, server: options.ServerUrl = "", json: Json = False
    ) -> int | None:
        """List your keys with their scopes, expiry and last use."""
        if context.invoked_subcommand is not None:
            return None
        from yudai.cli.accounts.login import run_keys_list

        return run_until_signal(run_keys_list(settings(server), json=json))

    @keys.command(name="list")
    def list_again(*, server: options.ServerUrl = "", json: Json = False) -> int:
        """List your keys with their scopes, expiry and last use."""
        from yudai.cli.accounts.login import run_keys_list

        return run_until_signal(run_keys_list(settings(server), json=json))

    @keys.command()
    def create(
        name: Annotated[str, typer.Argument(help="A name that says what the key is for.")],
        *,
        scope: Annotated[
            list[str] | None, typer.Option(help="read (default), run or publish. Repeat for more.")
        ] = None,
        days: Annotated[
            int, typer.Option(min=0, max=366, help="Days until it expires; 0 for never.")
        ] = 90,
        server: options.ServerUrl = "",
        json: Json = False,
    ) -> int:
        """Create a key and print it. It cannot be shown again."""
        from yudai.cli.accounts.login import run_keys_create

        made = run_keys_create(settings(server), name, scopes=scope or (), days=days, json=json)
        return run_until_signal(made)

    @keys.command()
    def revoke(
        key_id: Annotated[str, typer.Argument(help="The key's id, from the list.")],
        *,
        server: options.ServerUrl = "",
        json: Json = False,
    ) -> int:
        """Revoke a key at once."""
        from yudai.cli.accounts.login import run_keys_revoke

        return run_until_signal(run_keys_revoke(settings(server), key_id, json=json))

    _ = list_keys, list_again, create, revoke
    return keys
