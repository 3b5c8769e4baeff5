"""The names that base defines in any file. A copy of one in a new file is not new."""

import re
from collections.abc import Collection

from yudai.patches.test_paths import is_test_path
from yudai.verification.clean_sandboxes import CleanSandboxes

_SEARCH_S = 60.0
_PLAIN = re.compile(r"\w+")
_FOUND = re.compile(r"(?P<path>[^:]+):.*?(?P<name>\w+)\W*")


async def known_to_base(sandboxes: CleanSandboxes, names: Collection[str]) -> frozenset[str]:
    plain = sorted(name for name in names if _PLAIN.fullmatch(name))
    if not plain:
        return frozenset()
    any_of = "|".join(plain)
    pattern = rf"\b(def|class|function|const|let|var)[ *]+({any_of})\b|^({any_of}) *="
    command = f"grep -rIoE --exclude-dir=.git --exclude-dir=node_modules '{pattern}' ."
    async with sandboxes.open() as sandbox:
        result = await sandbox.exec(command, timeout_s=_SEARCH_S)
    found = filter(None, map(_FOUND.fullmatch, result.text.splitlines()))
    return frozenset(
        match["name"] for match in found if not is_test_path(match["path"].removeprefix("./"))
    )
