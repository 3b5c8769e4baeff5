"""Hints in error messages, each in two renderings: for the command line and for HTTP.

The code that raises an error does not know which edge called it. Its message therefore carries
hints, and each edge renders its own side: options and commands, or fields and routes.
"""

from collections.abc import Iterable
from typing import NamedTuple


class Hint(NamedTuple):
    command_line: str
    http: str


USE_DIRTY = Hint("use --dirty", 'send "dirty": true')
DIRTY = Hint("--dirty", "`dirty`")
BASE = Hint("--base", "`base_branch`")
ISSUE = Hint("--issue or --text", "`issue_number` or `issue_text`")
SETUP = Hint("--setup", "`setup`")
TEST = Hint("--test", "`test`")
ENV = Hint("--env PATH", "`env`")
PRICES = Hint("--price", "`prices`")
PRICE = Hint("--price IN,OUT", '"price": {"input_usd": IN, "output_usd": OUT}')
MODELS = Hint("`yudai models`", "`GET /api/models`")
SOLVES = Hint("`yudai list`", "`GET /api/solves`")
SOLVE = Hint("`yudai show`", "`GET /api/solves/{solve_id}`")
PATCH = Hint("`yudai show --diff`", "`GET /api/runs/{run_id}/patch`")
APPLY = Hint("`yudai apply`", "`POST /api/solves/{solve_id}/apply`")
LOG_IN = Hint(
    "run `yudai login`, or set GITHUB_TOKEN",
    "log in, or set GITHUB_TOKEN where the server is started",
)
# Who asks over HTTP does not start the server.
BASE_URL = Hint("OPENAI_BASE_URL (or --base-url)", "OPENAI_BASE_URL")
OPENROUTER_KEY = Hint(
    "set OPENROUTER_API_KEY, or send calls to another server with OPENAI_BASE_URL (or --base-url)",
    "set OPENROUTER_API_KEY where the server is started, or OPENAI_BASE_URL for another one to"
    " call, and start it again",
)


def price_of(name: str, *, is_free: bool = False) -> Hint:
    paid, received = ("0", "0") if is_free else ("IN", "OUT")
    price = f'{{"input_usd": {paid}, "output_usd": {received}}}'
    return Hint(f"--price {name}={paid},{received}", f'"prices": {{"{name}": {price}}}')


def keep_price(name: str) -> Hint:
    return Hint(f"`yudai models set {name} --price IN,OUT`", f"`PUT /api/models/{name}`")


def on_command_line(message: Iterable[str | Hint]) -> str:
    return "".join(part if isinstance(part, str) else part.command_line for part in message)


def over_http(message: Iterable[str | Hint]) -> str:
    return "".join(part if isinstance(part, str) else part.http for part in message)
