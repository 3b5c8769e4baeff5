"""Text for people and machines. Agent output is untrusted, so it is escaped for terminals."""

import json
import re

import typer

# Everything that could move the cursor, change colours or reorder text, tabs and newlines aside.
_UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")


def safe(text: str) -> str:
    return _UNSAFE.sub("\ufffd", text.encode("utf-8", "replace").decode())


def one_line(text: str, *, width: int = 80) -> str:
    flat = " ".join(safe(text).split())
    return flat if len(flat) <= width else flat[: width - 1] + "…"


def seconds(value: float) -> str:
    return f"{value:.1f} s" if value < 60 else f"{int(value // 60)}:{int(value % 60):02d} min"


def dollars(micros: int) -> str:
    return f"${micros / 1_000_000:.4f}" if micros else "$0"


def print_json(document: object) -> None:
    typer.echo(json.dumps(document, indent=2))
