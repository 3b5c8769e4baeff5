"""`yudai sandbox build-template`: what is asked of E2B, what a person sees."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr
from typer.testing import CliRunner

from tests.support.clouds.e2b_scene import machine_spec, scene
from tests.support.clouds.e2b_server import FakeE2B
from tests.support.clouds.faults import Fault
from yudai.cli.exit_codes import OK
from yudai.cli.upkeep.app import run_build_template, sandbox_app
from yudai.kit.errors import RefusedError, SandboxError
from yudai.sandboxes.backends.e2b.cloud import recipe
from yudai.settings import Settings


@pytest.fixture
def e2b(tmp_path: Path) -> Iterator[FakeE2B]:
    with FakeE2B(tmp_path / "e2b") as made:
        yield made


def settings(e2b: FakeE2B, home: Path, *, key: str | None = None) -> Settings:
    given = {"e2b_api_key": SecretStr(key or e2b.key), "e2b_api_url": e2b.url}
    sizes = {"processors": 3, "memory_mb": 2049, "disk_mb": 5000}
    return Settings.at(home).model_copy(update={**given, **sizes})


async def test_it_is_built(
    e2b: FakeE2B, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert await run_build_template(settings(e2b, tmp_path), "yudai", json=False) == OK
    [build] = e2b.builds
    assert build.is_started
    assert build.image == "python:3.12-bookworm"
    assert build.request["name"] == "yudai"
    assert build.request["cpuCount"] == 3
    assert build.request["memoryMB"] == 2050
    assert build.request["minFreeDiskMb"] == 5000
    commands = " ".join(str(step["args"]) for step in build.steps)
    for needed in ("git", "tar", "nodejs", "uv venv /env", "pytest", "/workspace"):
        assert needed in commands
    out, err = capsys.readouterr()
    assert out.split() == ["Built", "yudai", f"({build.template})."]
    assert "uv venv /env" in err
    assert e2b.key not in out + err


async def test_json_is_one_document(
    e2b: FakeE2B, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    await run_build_template(settings(e2b, tmp_path), "mine", json=True)
    built = {"name": "mine", "template_id": "tpl1", "build_id": "build1"}
    assert json.loads(capsys.readouterr().out) == built


async def test_another_name_is_to_be_chosen(
    e2b: FakeE2B, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    await run_build_template(settings(e2b, tmp_path), "mine", json=False)
    assert "Set E2B_TEMPLATE_ID=mine to use it." in " ".join(capsys.readouterr().out.split())


async def test_what_was_built_can_be_used(tmp_path: Path) -> None:
    async with scene(tmp_path / "e2b", template="mine") as here:
        built = await here.cloud.build_template("mine", machine_spec().limits, lambda _: None)
        machine = await here.cloud.create(machine_spec())
        assert here.sandbox(machine).template == built.name


async def test_without_a_key(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="set E2B_API_KEY"):
        await run_build_template(Settings.at(tmp_path), "yudai", json=False)


async def test_a_wrong_key(
    e2b: FakeE2B, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(RefusedError, match="check E2B_API_KEY") as caught:
        await run_build_template(settings(e2b, tmp_path, key="e2b_wrong"), "yudai", json=False)
    assert "e2b_wrong" not in str(caught.value)
    assert "finished" not in capsys.readouterr().err


async def test_a_step_that_fails(e2b: FakeE2B, tmp_path: Path) -> None:
    e2b.control.build_fails = True
    with pytest.raises(SandboxError, match="a step failed"):
        await run_build_template(settings(e2b, tmp_path), "yudai", json=False)


async def test_a_service_that_is_down(e2b: FakeE2B, tmp_path: Path) -> None:
    e2b.faults.add("POST /v3/templates", Fault(status=500, message="no luck"), times=None)
    with pytest.raises(SandboxError, match="no luck"):
        await run_build_template(settings(e2b, tmp_path), "yudai", json=False)


def test_the_command_is_there() -> None:
    said = CliRunner().invoke(sandbox_app, ["--help"])
    assert said.exit_code == 0
    assert "build-template" in said.output


def test_the_recipe_copies_nothing_of_ours() -> None:
    from e2b import Template

    assert "COPY" not in Template.to_dockerfile(recipe())
