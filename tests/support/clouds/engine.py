"""A container engine that is a program: podman's command line, or docker's, over a folder.

It writes down what it is asked, and keeps containers, images and volumes as files. What is run in
a container is run by a shell of this host: lines of the tests' own.
"""

import json
import os
import re
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

FACTS: dict[str, dict[str, Any]] = {
    "podman": {
        "host": {
            "cgroupControllers": ["cpu", "memory", "pids"],
            "security": {"rootless": True, "seccompEnabled": True, "seccompProfilePath": ""},
            "serviceIsRemote": False,
        },
        "store": {"graphDriverName": "overlay"},
    },
    "docker": {
        "ServerVersion": "28.2.2",
        "Driver": "overlay2",
        "MemoryLimit": True,
        "CpuCfsQuota": True,
        "PidsLimit": True,
        "SecurityOptions": ["name=seccomp,profile=builtin"],
    },
}
VERSIONS = {"podman": "podman version 4.3.1", "docker": "Docker version 28.2.2, build e6534b4"}
_WITH_VALUES = {
    *("--name", "--pull", "--label", "--user", "--hostname", "--workdir", "--network", "--ipc"),
    *("--log-driver", "--stop-signal", "--stop-timeout", "--security-opt", "--cap-drop"),
    *("--cap-add", "--pids-limit", "--cpus", "--memory", "--memory-swap", "--shm-size"),
    *("--ulimit", "--volume", "--tmpfs", "--env", "--entrypoint", "--filter", "--change"),
}
_ADVICE = "\n\nRun 'docker run --help' for more information"
_HERE = Path(__file__).parent
# Imported, so that it is compiled once: tests call it very often.
_SCRIPT = """#!{} -IS
import sys
sys.argv[1:1] = {!r}
sys.path.insert(0, {!r})
from engine import main
main()
"""
_LABEL = re.compile(r'LABEL ([^=]+)="(.*)"')


class FakeEngine(NamedTuple):
    """The tests' hold on it."""

    state: Path
    program: Path

    @classmethod
    def install(cls, folder: Path, dialect: str, *images: str) -> "FakeEngine":
        state, program = folder / "state", folder / "bin" / dialect
        for place in ("containers", "images", "volumes", "faults"):
            (state / place).mkdir(parents=True)
        _write(state / "facts", FACTS[dialect])
        program.parent.mkdir()
        program.write_text(_SCRIPT.format(sys.executable, [dialect, str(state)], str(_HERE)))
        program.chmod(0o755)
        for image in images:
            _write(state / "images" / _file(image), {"Id": _token(8), "Labels": {}})
        return cls(state, program)

    def calls(self, verb: str = "") -> list[list[str]]:
        log = self.state / "calls"
        said = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
        return [words for words in said if not verb or words[0] == verb]

    def say(self, facts: dict[str, Any]) -> None:
        _write(self.state / "facts", facts)

    def fail(
        self,
        verb: str,
        error: str = "",
        *,
        code: int = 125,
        output: str = "",
        after: bool = False,
        times: int = 1,
    ) -> None:
        """Its next answers to this verb; `after`: what was asked for is done all the same."""
        fault = {"error": error, "code": code, "output": output, "after": after, "times": times}
        _write(self.state / "faults" / verb, fault)

    def hang(self, verb: str, *, after: bool = False) -> None:
        _write(self.state / "faults" / verb, {"hang": True, "after": after, "times": 1})

    def heal(self) -> None:
        for file in (self.state / "faults").iterdir():
            file.unlink()

    def containers(self) -> dict[str, dict[str, Any]]:
        files = (self.state / "containers").iterdir()
        return {file.name: json.loads(file.read_bytes()) for file in files}

    def images(self) -> list[str]:
        names = [file.name.replace("%", "/") for file in (self.state / "images").iterdir()]
        return sorted(names)

    def image(self, name: str) -> dict[str, Any]:
        return json.loads((self.state / "images" / _file(name)).read_bytes())

    def volumes(self) -> int:
        return len(list((self.state / "volumes").iterdir()))

    def become(self, name: str, status: str) -> None:
        """Somebody else has paused it, or it has ended."""
        file = self.state / "containers" / name
        _write(file, {**json.loads(file.read_bytes()), "status": status})


class _Engine(NamedTuple):
    dialect: str
    state: Path

    @property
    def is_podman(self) -> bool:
        return self.dialect == "podman"

    def answer(self, words: Sequence[str]) -> int:
        verb, rest = words[0], list(words[1:])
        if verb in ("container", "image"):
            verb, rest = f"{verb}-{rest[0]}", rest[1:]
        fault = self._fault(verb)
        if fault is not None and not fault["after"]:
            return self._break(fault)
        code = _VERBS[verb](self, rest)
        return code if fault is None else self._break(fault)

    def info(self, _: list[str]) -> int:
        print((self.state / "facts").read_text())  # noqa: T201 - it is a program
        return 0

    def version(self, _: list[str]) -> int:
        print(VERSIONS[self.dialect])  # noqa: T201 - it is a program
        return 0

    def run(self, rest: list[str]) -> int:
        flags, [image, *_] = _parse(rest)
        [name] = flags["--name"]
        if not self._image(image).exists():
            return self._refuse(
                f"Error: {image}: image not known",
                f"docker: Error response from daemon: No such image: {image}{_ADVICE}",
            )
        if self._container(name).exists():
            return self._refuse(
                f'Error: creating container storage: the container name "{name}" is already in use',
                f'docker: Error response from daemon: Conflict. The container name "/{name}" is'
                f" already in use by container 1234. You have to remove (or rename) that container"
                f" to be able to reuse that name.{_ADVICE}",
            )
        given = dict(label.split("=", 1) for label in flags.get("--label", ()))
        labels = json.loads(self._image(image).read_bytes())["Labels"] | given
        _write(
            self._container(name),
            {"id": _token(32), "image": image, "labels": labels, "status": "running"},
        )
        for number, volume in enumerate(v for v in flags.get("--volume", ()) if ":" not in v):
            _write(self.state / "volumes" / f"{name}.{number}", volume)
        return 0

    def exec(self, rest: list[str]) -> int:
        _, [name, *argv] = _parse(rest)
        file = self._container(name)
        if not file.exists():
            return self._refuse(
                f'Error: no container with name or ID "{name}" found: no such container',
                f"Error response from daemon: No such container: {name}",
            )
        status = json.loads(file.read_bytes())["status"]
        if status != "running":
            return self._refuse(
                "Error: can only create exec sessions on running containers: container state"
                " improper",
                f"Error response from daemon: container {name} is not running",
                code=255,
            )
        return os.execv(argv[0], argv)  # noqa: S606 - lines of the tests' own

    def ps(self, rest: list[str]) -> int:
        flags, _ = _parse(rest)
        _, wanted = flags["--filter"][0].split("=", 1)
        name, _, value = wanted.partition("=")
        for file in (self.state / "containers").iterdir():
            one = json.loads(file.read_bytes())
            if one["labels"].get(name) == value:
                print(one["id"])  # noqa: T201 - it is a program
        return 0

    def container_inspect(self, names: list[str]) -> int:
        return self._inspect(names, self._shown, "container")

    def image_inspect(self, names: list[str]) -> int:
        def show(name: str) -> dict[str, Any] | None:
            file = self._image(name)
            return json.loads(file.read_bytes()) if file.exists() else None

        return self._inspect(names, show, "image")

    def remove(self, rest: list[str]) -> int:
        flags, [name] = _parse(rest)
        file = self._container(name)
        if not file.exists():
            self._refuse("", f"Error response from daemon: No such container: {name}")
            return 0 if self.is_podman else 1
        file.unlink()
        if "--volumes" in flags:
            for volume in (self.state / "volumes").glob(f"{name}.*"):
                volume.unlink()
        return 0

    def commit(self, rest: list[str]) -> int:
        flags, [name, image] = _parse(rest)
        labels = dict(json.loads(self._container(name).read_bytes())["labels"])
        for change in flags.get("--change", ()):
            match = _LABEL.fullmatch(change)
            assert match, change
            labels[match[1]] = match[2]
        file = self._image(image)
        if file.exists():
            # Another has its name now.
            old = json.loads(file.read_bytes())["Id"]
            file.rename(self._image(old))
        _write(file, {"Id": _token(8), "Labels": labels})
        return 0

    def remove_image(self, rest: list[str]) -> int:
        _, [name] = _parse(rest)
        if not self._image(name).exists():
            return self._refuse(
                f"Error: {name}: image not known",
                f"Error response from daemon: No such image: {name}",
                code=1,
            )
        users = [json.loads(f.read_bytes()) for f in (self.state / "containers").iterdir()]
        if any(one["image"] == name for one in users):
            return self._refuse(
                "Error: image used by 1234: image is in use by a container",
                "Error response from daemon: conflict: unable to remove repository reference",
                code=2,
            )
        self._image(name).unlink()
        return 0

    def _shown(self, wanted: str) -> dict[str, Any] | None:
        for file in (self.state / "containers").iterdir():
            one = json.loads(file.read_bytes())
            if wanted in (file.name, one["id"]):
                made = datetime.fromtimestamp(file.stat().st_mtime, UTC)
                return {
                    "Id": one["id"],
                    "Name": file.name if self.is_podman else f"/{file.name}",
                    "Created": f"{made:%Y-%m-%dT%H:%M:%S}.123456789Z",
                    "State": {"Status": one["status"]},
                    "Config": {"Labels": one["labels"]},
                }
        return None

    def _inspect(
        self, names: list[str], show: Callable[[str], dict[str, Any] | None], kind: str
    ) -> int:
        found = {name: show(name) for name in names}
        print(json.dumps([one for one in found.values() if one]))  # noqa: T201 - it is a program
        lacking = [name for name, one in found.items() if one is None]
        texts = {
            "container": "Error: inspecting object: no such container {}",
            "image": "Error: inspecting object: {}: image not known",
        }
        for name in lacking:
            self._refuse(texts[kind].format(name), f"Error: No such {kind}: {name}")
        return 0 if not lacking else 125 if self.is_podman else 1

    def _refuse(self, podman: str, docker: str, *, code: int = 125) -> int:
        text = podman if self.is_podman else docker
        if text:
            sys.stderr.write(f"{text}\n")
        return code if self.is_podman else 1

    def _fault(self, verb: str) -> dict[str, Any] | None:
        file = self.state / "faults" / verb
        if not file.exists():
            return None
        fault: dict[str, Any] = json.loads(file.read_bytes())
        if fault["times"] == 1:
            file.unlink()
        else:
            _write(file, {**fault, "times": fault["times"] - 1})
        return fault

    def _break(self, fault: dict[str, Any]) -> int:
        if fault.get("hang"):
            (self.state / "hanging").touch()
            time.sleep(600)
        sys.stdout.write(fault["output"])
        sys.stderr.write(f"{fault['error']}\n")
        return fault["code"]

    def _container(self, name: str) -> Path:
        return self.state / "containers" / name

    def _image(self, name: str) -> Path:
        return self.state / "images" / _file(name)


_VERBS: dict[str, Callable[[_Engine, list[str]], int]] = {
    "info": _Engine.info,
    "--version": _Engine.version,
    "run": _Engine.run,
    "exec": _Engine.exec,
    "ps": _Engine.ps,
    "container-inspect": _Engine.container_inspect,
    "image-inspect": _Engine.image_inspect,
    "rm": _Engine.remove,
    "commit": _Engine.commit,
    "rmi": _Engine.remove_image,
}


def _parse(words: list[str]) -> tuple[dict[str, list[str]], list[str]]:
    """Flags up to the first word that is none, and the rest."""
    flags: dict[str, list[str]] = {}
    while words and words[0].startswith("--"):
        name = words.pop(0)
        flags.setdefault(name, []).extend([words.pop(0)] if name in _WITH_VALUES else [])
    return flags, words


def _token(length: int) -> str:
    return os.urandom(length).hex()


def _file(image: str) -> str:
    return image.replace("/", "%")


def _write(path: Path, value: object) -> None:
    draft = path.parent.parent / f".{_token(4)}"
    draft.write_text(json.dumps(value))
    draft.replace(path)


def main() -> NoReturn:
    dialect, state, *words = sys.argv[1:]
    with (Path(state) / "calls").open("a") as log:
        log.write(f"{json.dumps(words)}\n")
    sys.exit(_Engine(dialect, Path(state)).answer(words))
