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
            bool, typer.Option("--no-open", help="Only print the address, open no browser.")
        ] = False,
        server: options.ServerUrl = "",
        json: Json = False,
    ) -> int:
        """Log in at a server, or at the forge for this machine alone."""
        from yudai.cli.accounts.login import run_login

        return run_until_signal(run_login(settings(server), opens=not no_open, json=json))

    @app.command()
    def logout(*, server: options.ServerUrl = "", json: Json = False) -> int:
        """Forget the login, and end it at the server."""
        from yudai.cli.accounts.login import run_logout

        return run_until_signal(run_logout(settings(server), json=json))

    @app.command()
    def whoami(*, server: options.ServerUrl = "", json: Json = False) -> int:
        """Say who is logged in; exit code 4 when nobody is."""
        from yudai.cli.accounts.login import run_whoami

        return run_until_signal(run_whoami(settings(server), json=json))

    _ = login, logout, whoami
    app.add_typer(_keys(settings), name="keys", invoke_without_command=True)


def _keys(settings: Reading) -> typer.Typer:
    keys = typer.Typer(help="List, make and revoke keys for programs, at a server.")

    @keys.callback()
    def list_keys(
        context: typer.Context, *, server: options.ServerUrl = "", json: Json = False
    ) -> int | None:
        """List your keys: their scopes, their end, when they were used."""
        if context.invoked_subcommand is not None:
            return None
        from yudai.cli.accounts.keys import run_keys_list

        return run_until_signal(run_keys_list(settings(server), json=json))

    @keys.command(name="list")
    def list_again(*, server: options.ServerUrl = "", json: Json = False) -> int:
        """List your keys: their scopes, their end, when they were used."""
        from yudai.cli.accounts.keys import run_keys_list

        return run_until_signal(run_keys_list(settings(server), json=json))

    @keys.command()
    def create(
        name: Annotated[str, typer.Argument(help="What it is for.")],
        *,
        scope: Annotated[
            list[str] | None, typer.Option(help="read (the default), run or publish. Repeat.")
        ] = None,
        days: Annotated[
            int, typer.Option(min=0, max=366, help="How long it is good; 0: for ever.")
        ] = 90,
        server: options.ServerUrl = "",
        json: Json = False,
    ) -> int:
        """Make a key; it is printed this once."""
        from yudai.cli.accounts.keys import run_keys_create

        made = run_keys_create(settings(server), name, scopes=scope or (), days=days, json=json)
        return run_until_signal(made)

    @keys.command()
    def revoke(
        key_id: Annotated[str, typer.Argument(help="Its id, as the list shows it.")],
        *,
        server: options.ServerUrl = "",
        json: Json = False,
    ) -> int:
        """End a key at once."""
        from yudai.cli.accounts.keys import run_keys_revoke

        return run_until_signal(run_keys_revoke(settings(server), key_id, json=json))

    _ = list_keys, list_again, create, revoke
    return keys
