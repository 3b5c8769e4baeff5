"""Entry point: exit codes, one-line errors, nothing imported before it is needed."""

import sys

from yudai.cli.exits import INTERRUPTED, OK, OUR_FAULT, REFUSED


def main() -> None:
    try:
        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        code = INTERRUPTED
    sys.exit(code)


def run(arguments: list[str]) -> int:
    """Run one command line and return its exit code."""
    import typer

    from yudai.cli.commands import app
    from yudai.domain.errors import RefusedError, WorldError

    try:
        result: object = typer.main.get_command(app)(
            arguments, prog_name="yudai", standalone_mode=False
        )
    except typer.Abort:
        return INTERRUPTED
    except typer.TyperException as error:
        return _say(error.format_message(), REFUSED)
    except RefusedError as error:
        return _say(str(error), REFUSED)
    except WorldError as error:
        return _say(str(error), OUR_FAULT)
    return result if isinstance(result, int) else OK


def _say(message: str, code: int) -> int:
    sys.stderr.write(f"yudai: {' '.join(message.split())}\n")
    return code
