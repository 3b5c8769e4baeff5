"""Which new tests may change what other tests see, when one Python process runs both."""

import re

from yudai.patches.patch import Patch
from yudai.patches.test_paths import name_of

_FOR_ALL = frozenset({"conftest.py", "__init__.py"})
_CHANGES = re.compile(
    r"""^\s*(?!(?:self|cls)\.)[A-Za-z_]\w*(?:\.\w+)+(?:\[[^\]]*\])?\s*(?:[-+*/|&]|//)?=(?!=)
      | ^\s*del\s+\w+\.
      | (?<!\.)\b(?:setattr|delattr|vars|globals|exec|eval)\(
      | \b(?:__dict__|__setattr__|__globals__|__code__|__builtins__|builtins|ctypes|atexit|gc)\b
      | \bsys\.(?:modules|meta_path|settrace|setprofile)\b | \breload\b | \.start\(\)
      | \benviron\b(?!\.get) | \b(?:chdir|putenv)\( | \bautouse\b | \bload_tests\b
      | (?<!self)\.\w+\.(?:append|extend|update|insert|clear|pop|add|remove|setdefault|sort)\(""",
    re.VERBOSE,
)


def may_share(tests: Patch) -> bool:
    """Whether these files can run in one process with another author's."""
    files = [change for change in tests.files if change.path.endswith(".py")]
    return not any(
        any(map(_CHANGES.search, change.added_lines))
        or (name_of(change.path) in _FOR_ALL and any(map(str.strip, change.added_lines)))
        for change in files
    )
