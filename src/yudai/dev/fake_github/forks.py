"""Forks: the answer comes at once, the branches a while later."""

from yudai.dev.fake_github.records import Repo
from yudai.dev.fake_github.state import State


def fork(state: State, full: str, *, by: str) -> Repo:
    """One's own copy: the one that is there already, or a new one."""
    with state.lock:
        source = state.repo(full)
        for repo in state.world.repos.values():
            if repo.owner == by and full in (repo.parent, repo.full):
                return repo
        name, taken = source.name, 0
        while f"{by}/{name}" in state.world.repos:
            taken += 1
            name = f"{source.name}-{taken}"
        made = state.add_repo(
            f"{by}/{name}", private=source.private, default_branch=source.default_branch
        )
        made.parent, made.looks_left = source.full, state.fork_looks
        if not made.looks_left:
            _fill(state, made)
        return made


def look(state: State, repo: Repo) -> None:
    """After so many looks the branches are there."""
    with state.lock:
        if repo.looks_left:
            repo.looks_left -= 1
            if not repo.looks_left:
                _fill(state, repo)


def _fill(state: State, repo: Repo) -> None:
    state.clone(repo.full).take(state.clone(repo.parent), "refs/heads/*:refs/heads/*")
