"""A trajectory of 2,000 messages with colours, as agents that never give up write them."""

import json
import random
from pathlib import Path

from tests.support.trajectories import CHAT, Message, answered, called, version_2

MESSAGES = 2000
WORDS = ("parser", "token", "ledger", "reads", "statement", "assert", "passed", "FAILED", "import")


def write(file: Path) -> Path:
    """10 to 80 lines each, the same on every machine."""
    chance = random.Random(1)  # noqa: S311 - it draws words
    turns: list[Message] = []
    for number in range((MESSAGES - len(CHAT)) // 2):
        name = f"long-{number}"
        turns.append(called(f"pytest -q tests/test_{number}.py", name, at=30.0 + number))
        output = "\n".join(_line(chance) for _ in range(chance.randint(10, 80)))
        code = int(chance.random() < 0.3)
        turns.append(answered(f"{output}\n", name, at=30.5 + number, returncode=code))
    file.write_text(json.dumps(version_2(*CHAT[:4], *turns, *CHAT[4:])))
    return file


def _line(chance: random.Random) -> str:
    text = " ".join(chance.choice(WORDS) for _ in range(chance.randint(3, 12)))
    return f"\x1b[3{chance.randint(1, 6)}m{text}\x1b[0m" if chance.random() < 0.4 else text
