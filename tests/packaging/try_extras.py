"""Try each provider's newest SDK alone: `python tests/packaging/try_extras.py [e2b] [prime]`.

The newest two cannot be installed together, so each gets an environment of its own, thrown away
afterwards, in which the tests of its adapter run. Needs a package index; no part of the suite.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
EXTRAS = ("e2b", "prime")
TOOLS = ("hypothesis", "pytest-asyncio", "pytest-randomly", "pytest-timeout", "pytest-xdist")


def main(wanted: list[str]) -> int:
    strange = set(wanted) - set(EXTRAS)
    if strange:
        print(f"no such extra: {', '.join(sorted(strange))}", file=sys.stderr)  # noqa: T201 - a script
        return 2
    failed = [extra for extra in wanted or EXTRAS if not passes(extra)]
    print(f"failed: {failed}" if failed else f"passed: {list(wanted or EXTRAS)}")  # noqa: T201 - a script
    return 1 if failed else 0


def passes(extra: str) -> bool:
    with tempfile.TemporaryDirectory(prefix=f"yudai-{extra}-") as folder:
        python = Path(folder) / "bin/python"
        into = ["--quiet", "--python", str(python)]
        steps = [
            ["venv", "--quiet", "--clear", "--python", sys.executable, folder],
            ["pip", "install", *into, "--editable", f"{ROOT}[{extra}]", *TOOLS],
        ]
        done = all(_do([sys.executable, "-m", "uv", *step]) for step in steps)
        tests = str(ROOT / "tests/sandboxes" / extra)
        return done and _do([str(python), "-m", "pytest", "-q", "-n", "0", tests])


def _do(command: list[str]) -> bool:
    return subprocess.run(command, cwd=ROOT, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
