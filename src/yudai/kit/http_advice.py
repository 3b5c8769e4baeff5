"""What the command line's words are called over HTTP.

A refusal says what to do, and is made where nobody knows who asked: it speaks of the command line's
options and commands. Whoever sent a body has fields and routes instead.
"""

import re

_PRICE = '{"input_usd": %s, "output_usd": %s}'
_WORDS: dict[str, str] = {
    r"`yudai models set (.+?) --price IN,OUT`": r"`PUT /api/models/\1`",
    r"--price (.+?)=0,0": rf'"prices": {{"\1": {_PRICE % (0, 0)}}}',
    r"--price (.+?)=IN,OUT": rf'"prices": {{"\1": {_PRICE % ("IN", "OUT")}}}',
    r"--price IN,OUT": f'"price": {_PRICE % ("IN", "OUT")}',
    r"--price(?= names )": "`prices`",
    r"use --dirty": 'send "dirty": true',
    r"--dirty": "`dirty`",
    r"--base": "`base_branch`",
    r"--setup": "`setup`",
    r"--test": "`test`",
    r"--env PATH": "`env`",
    r"set OPENROUTER_API_KEY, or send calls to another server with"
    r" OPENAI_BASE_URL \(or --base-url\)": "set OPENROUTER_API_KEY where the server is started, or"
    " OPENAI_BASE_URL for another one to call, and start it again",
    # Whoever asks over HTTP does not start the server.
    r"OPENAI_BASE_URL \(or --base-url\)": "OPENAI_BASE_URL",
    r"run `yudai login`, or set GITHUB_TOKEN": "log in, or set GITHUB_TOKEN where the server is"
    " started",
    r"`yudai apply` takes": "`POST /api/solves/{solve_id}/apply` takes",
    r"`yudai models`": "`GET /api/models`",
    r"`yudai list`": "`GET /api/solves`",
    r"`yudai show`": "`GET /api/solves/{solve_id}`",
}
_TABLE = [(re.compile(rf"(?<![\w-]){words}(?![\w-])"), said) for words, said in _WORDS.items()]


def over_http(message: str) -> str:
    """The same advice for whoever sends requests."""
    for words, said in _TABLE:
        message = words.sub(said, message)
    return message
