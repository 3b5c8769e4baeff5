"""What a person installs: the page is in it, and it needs no Node."""

import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from yudai.api.page import BUILT, CSP, FOR_EVER

ROOT = Path(__file__).parents[2]
TIMEOUT_S = 60
pytestmark = pytest.mark.xdist_group("packaging")


def build(source: Path, target: str, into: Path) -> subprocess.CompletedProcess[str]:
    """As an installer does, with the locked hatchling in the place of a downloaded one."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(into)]
    return subprocess.run(
        command, cwd=source, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )


def built(source: Path, target: str, into: Path, ending: str) -> Path:
    done = build(source, target, into)
    assert done.returncode == 0, done.stderr
    [file] = into.glob(f"*{ending}")
    return file


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source archive, unpacked: neither git nor what it ignores is around it."""
    folder = tmp_path_factory.mktemp("sdist")
    archive = built(ROOT, "sdist", folder, ".tar.gz")
    # Not by tarfile: 3.11.2 knows no filters, and later versions warn when none is given.
    subprocess.run(["tar", "-xzf", archive, "-C", folder], check=True)
    return folder / archive.name.removesuffix(".tar.gz")


@pytest.fixture(scope="module")
def wheel(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """From the source archive: whatever this one lacks, the wheel lacks."""
    return built(source, "wheel", tmp_path_factory.mktemp("wheel"), ".whl")


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty environment with the wheel alone; its dependencies are read from our own.

    A .pth file adds them behind the wheel, and .pth files there, as that of our checkout, do not
    count: whatever is imported from `yudai` is the wheel's.
    """
    folder = tmp_path_factory.mktemp("environment") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    uv = ["uv", "pip", "install", "--quiet", "--offline", "--no-deps"]
    python = folder / "bin" / "python"
    program = Path(sys.executable).with_name(uv[0])
    subprocess.run([program, *uv[1:], "--python", python, wheel], check=True)
    site = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip
    (Path(site) / "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    return folder


@pytest.fixture(scope="module")
def url(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Its own `yudai serve`, with git and without Node on its path."""
    home = tmp_path_factory.mktemp("home")
    tools = home / "bin"
    tools.mkdir()
    (tools / "git").symlink_to(str(shutil.which("git")))
    path = f"{installed / 'bin'}:{tools}"
    assert shutil.which("node", path=path) is None
    process = subprocess.Popen(
        [installed / "bin" / "yudai", "serve", "--port", "0"],
        cwd=home,
        env={"PATH": path, "HOME": str(home), "YUDAI_HOME": str(home / "yudai")},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    with process:
        said = process.stderr.readline()
        found = re.search(r"http://[^;\s]+", said)
        assert found, said + process.stderr.read()
        yield found[0]
        process.terminate()
        assert process.wait(timeout=TIMEOUT_S) == 0, process.stderr.read()


def files_of(folder: Path) -> set[str]:
    found = (file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file())
    return {f"yudai/_page/{name}" for name in found}


def test_the_whole_page_is_in_the_wheel_and_nothing_that_maps_it(wheel: Path):
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert {name for name in names if name.startswith("yudai/_page/")} == files_of(BUILT)
    assert "yudai/_page/index.html" in names
    assert not [name for name in names if name.endswith(".map") or "node_modules" in name]


def test_a_wheel_of_the_checkout_has_it_too(tmp_path: Path):
    wheel = built(ROOT, "wheel", tmp_path, ".whl")
    with zipfile.ZipFile(wheel) as archive:
        assert files_of(BUILT) <= set(archive.namelist())


def test_nothing_is_built_without_it(source: Path, tmp_path: Path):
    """One line says what to do."""
    bare = tmp_path / "bare"
    shutil.copytree(source, bare, ignore=shutil.ignore_patterns("_page", "tests", "web", "docs"))
    for target in ("wheel", "sdist"):
        refused = build(bare, target, tmp_path / "nothing")
        assert refused.returncode == 1
        assert refused.stderr.splitlines() == [
            "src/yudai/_page is missing: `make web` builds the page, then build again"
        ]
    assert not [*tmp_path.glob("nothing/*")]


def test_what_is_installed_is_the_wheel(installed: Path):
    code = "import yudai, fastapi; print(yudai.__file__)"
    said = subprocess.run(
        [installed / "bin" / "python", "-c", code],
        capture_output=True, text=True, check=True, cwd=installed,
    ).stdout  # fmt: skip
    assert Path(said.strip()).is_relative_to(installed)


def test_it_serves_the_page_without_node(url: str):
    with httpx.Client(base_url=url, trust_env=False) as client:
        index = client.get("/")
        assert (index.status_code, index.headers["content-security-policy"]) == (200, CSP)
        assert client.get("/solves/x/compare").text == index.text
        names = re.findall(r'(?:src|href)="(/[^"]+)"', index.text)
        assert len(names) >= 3
        for name in names:
            answer = client.get(name)
            assert (answer.status_code, len(answer.content) > 0) == (200, True), name
            assert (answer.headers["cache-control"] == FOR_EVER) == name.startswith("/assets/")
        assert client.get("/api/health/ready").status_code == 200
        assert client.get("/assets/nope.js").status_code == 404
