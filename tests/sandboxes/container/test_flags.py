"""Every flag that holds an agent in its container."""

import os
import resource
from itertools import pairwise
from pathlib import Path

import pytest

from tests.support.clouds.engine_scene import IMAGE, LIMITS, MIB, machine_spec
from yudai.sandboxes.backends.container.flags import Setting, commit_words, run_words, tags_of
from yudai.sandboxes.port import SandboxLimits

BASE = "localhost/yudai-base:b"
ALWAYS = (
    "--detach",
    "--rm",
    "--pull never",
    "--user 0:0",
    "--hostname sandbox",
    "--workdir /",
    "--network none",
    "--ipc private",
    "--log-driver none",
    "--no-healthcheck",
    "--stop-signal SIGKILL",
    "--stop-timeout 0",
    "--security-opt no-new-privileges",
    "--cap-drop ALL",
    "--pids-limit 64",
    "--cpus 0.5",
    f"--memory {256 * MIB}b",
    f"--memory-swap {256 * MIB}b",
    f"--shm-size {32 * MIB}b",
    "--ulimit core=0:0",
    f"--ulimit fsize={64 * MIB}:{64 * MIB}",
    "--entrypoint /bin/sh",
)
TMPFS = f"rw,nosuid,nodev,exec,mode=1777,size={64 * MIB}"
BUILT = (
    "--read-only",
    "--volume /workspace",
    "--volume /home/agent",
    "--volume /var/lib/yudai",
    f"--tmpfs /tmp:{TMPFS}",
    f"--tmpfs /var/tmp:{TMPFS}",
    f"--tmpfs /run:rw,nosuid,nodev,noexec,mode=755,size={16 * MIB}",
)
WARDENS = {"CHOWN", "DAC_OVERRIDE", "FOWNER", "KILL", "SETGID", "SETUID"}
NEVER = (
    *("--privileged", "--device", "--publish", "--pid", "--userns", "--group-add", "--mount"),
    *("--env-file", "--volumes-from", "--restart", "--publish-all"),
)


def _values(words: list[str], flag: str) -> list[str]:
    return [value for name, value in pairwise(words) if name == flag]


@pytest.mark.parametrize("is_podman", [True, False])
@pytest.mark.parametrize("is_built", [True, False])
def test_each_flag(*, is_podman: bool, is_built: bool) -> None:
    setting = Setting(image=BASE, is_built=is_built, is_podman=is_podman)
    words = run_words(machine_spec(), setting)
    line = f" {' '.join(words)} "
    for flag in ALWAYS:
        assert f" {flag} " in line, flag
    for flag in BUILT:
        assert (f" {flag} " in line) == is_built, flag
    for flag in NEVER:
        assert flag not in words
    assert words[0] == "run"
    assert set(_values(words, "--cap-add")) == WARDENS
    assert ".sock" not in line


@pytest.mark.parametrize("is_podman", [True, False])
def test_proxies_of_the_host_stay_out(*, is_podman: bool) -> None:
    words = run_words(machine_spec(), Setting(image=IMAGE, is_podman=is_podman))
    if is_podman:
        assert "--http-proxy=false" in words
        assert "--env" not in words
        return
    given = set(_values(words, "--env"))
    assert {"http_proxy=", "HTTPS_PROXY=", "ALL_PROXY=", "no_proxy="} <= given
    assert all(value.endswith("=") for value in given)


def test_nothing_of_the_host_can_be_written_to(tmp_path: Path) -> None:
    setting = Setting(
        image=BASE,
        is_built=True,
        local_sockets=tmp_path / "doors",
        names=tmp_path / "names",
        hosts=tmp_path / "hosts",
        seccomp=tmp_path / "seccomp.json",
    )
    words = run_words(machine_spec(), setting)
    bound = [volume.split(":") for volume in _values(words, "--volume") if ":" in volume]
    assert bound == [
        [str(tmp_path / "doors"), "/run/doors", "ro,z"],
        [str(tmp_path / "names"), "/run/nscd", "ro,z"],
        [str(tmp_path / "hosts"), "/etc/hosts", "ro,z"],
    ]
    assert f"seccomp={tmp_path / 'seccomp.json'}" in _values(words, "--security-opt")


def test_it_ends_by_itself_a_little_after_its_lifetime() -> None:
    words = run_words(machine_spec(), Setting(image=BASE))
    image = words.index(BASE)
    assert words[image + 1] == "-c"
    assert words[image + 2].startswith('sleep "$1" &')
    assert words[image + 3 :] == ["main", str(int(LIMITS.lifetime_s) + 60)]


def test_no_more_processors_than_there_are() -> None:
    plan = machine_spec().model_copy(update={"limits": SandboxLimits(processors=10_000)})
    [said] = _values(run_words(plan, Setting(image=BASE)), "--cpus")
    assert float(said) == os.cpu_count()


def test_limits_are_within_those_of_this_process() -> None:
    words = _values(run_words(machine_spec(), Setting(image=BASE)), "--ulimit")
    said = dict(word.split("=") for word in words)
    for name, kind in (("nofile", resource.RLIMIT_NOFILE), ("nproc", resource.RLIMIT_NPROC)):
        soft, hard = map(int, said[name].split(":"))
        assert soft == hard > 0
        most = resource.getrlimit(kind)[1]
        assert most == resource.RLIM_INFINITY or hard <= most


def test_tags_are_labels_of_their_own_kind() -> None:
    plan = machine_spec(tags={"owner": "a b", "issue": "x/y#1 = 'z'"})
    labels = _values(run_words(plan, Setting(image=IMAGE)), "--label")
    assert tags_of(dict(label.split("=", 1) for label in labels)) == dict(plan.tags)
    assert tags_of({"maintainer": "somebody", "yudai.box": "b", "yudai.run": ""}) == {"box": "b"}


def test_a_base_has_none_of_its_builders_labels() -> None:
    words = commit_words({"installation": "i", "owner": 'a" b', "box": "b"}, "c", "image")
    assert words[0] == "commit"
    assert words[-2:] == ["c", "image"]
    assert set(_values(words, "--change")) == {
        'LABEL yudai.installation="i"',
        'LABEL yudai.owner=""',
        'LABEL yudai.box=""',
    }
