"""The SDKs of sandbox providers: extras, loaded by whoever chooses them and by nobody else."""

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
TIMEOUT_S = 60
SDKS = {"e2b": "e2b", "prime": "prime_sandboxes"}
MAKING = {
    "e2b": "from yudai.sandboxes.backends.e2b.cloud import E2BCloud\n"
    "cloud = E2BCloud(api_key='key', template='yudai')\n",
    "prime": "from pathlib import Path\n"
    "from yudai.sandboxes.backends.prime.cloud import PrimeCloud\n"
    "cloud = PrimeCloud(api_key='key', image='python', home=Path('nowhere'))\n",
}
LOADED = "import sys\nprint(*sorted({'e2b', 'prime_sandboxes', 'connectrpc'} & set(sys.modules)))"
EXAMINE = """
import asyncio
try:
    asyncio.run(cloud.examine())
except Exception as error:
    print(type(error).__name__, error)
"""


def python(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


@pytest.mark.parametrize(("extra", "package"), [("e2b", "e2b"), ("prime", "prime-sandboxes")])
def test_each_sdk_is_an_extra_and_a_pair_of_them_is_pinned_for_us(extra: str, package: str) -> None:
    described = project()
    [wanted] = described["project"]["optional-dependencies"][extra]
    [pinned] = [d for d in described["dependency-groups"]["dev"] if d.startswith(f"{package}==")]
    assert wanted.startswith(f"{package}>={pinned.partition('==')[2]},<")
    assert not [d for d in described["project"]["dependencies"] if d.startswith(package)]


def test_neither_what_everybody_loads_nor_a_cloud_that_no_one_has_used_loads_an_sdk() -> None:
    everybody = "import yudai.wiring.sandboxes, yudai.cli.main, yudai.api.app\n"
    assert python(everybody + "".join(MAKING.values()) + LOADED) == ""


@pytest.mark.parametrize("name", SDKS)
def test_without_its_sdk_it_names_the_extra(name: str) -> None:
    missing = f"import sys\nsys.modules[{SDKS[name]!r}] = None\n"
    said = python(missing + MAKING[name] + EXAMINE)
    assert said.startswith("DeniedError ")
    assert said.endswith(f"pip install 'yudai[{name}]'")
