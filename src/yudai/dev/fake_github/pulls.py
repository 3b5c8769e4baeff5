"""What people do to pull requests: open, merge, revert."""

from typing import NamedTuple

from yudai.dev.fake_github import events, git_repositories, issues, json_pull_views
from yudai.dev.fake_github.access import role_in
from yudai.dev.fake_github.errors import Refusal, check_text, invalid, not_found, wrong
from yudai.dev.fake_github.git_repositories import Clone, ConflictedError, Sides, Signature
from yudai.dev.fake_github.records import Item, Pull, Repo
from yudai.dev.fake_github.state import State
from yudai.forge.domain.repository import Role


class Opening(NamedTuple):
    title: str
    body: str | None
    head: str
    """`branch`, or `owner:branch`."""
    base: str
    draft: bool = False


class Merging(NamedTuple):
    method: str = "merge"
    sha: str = ""
    """The head commit that the person who merges has seen."""
    title: str = ""
    message: str = ""


def open_pull(
    state: State, full: str, new: Opening, *, by: str, may_push: bool | None = None
) -> Item:
    """`may_push`: whether the head is the opener's to offer; None: as their role says."""
    with state.lock:
        repo = state.repo(full)
        head_repo, branch = _head_of(state, repo, new.head)
        head, base = _ends(state, repo, head_repo, branch, new.base)
        check_text("PullRequest", new.body)
        if may_push is None:
            may_push = role_in(state, state.repo(head_repo), by).allows(Role.WRITE)
        if not may_push:
            raise invalid("PullRequest", "must be a collaborator", field="user")
        clone = state.clone(full)
        if head_repo != full:
            clone.take(state.clone(head_repo), f"refs/heads/{branch}")
        if clone.is_within(head, base):
            raise invalid("PullRequest", f"No commits between {new.base} and {new.head}")
        _refuse_second(repo, head_repo, branch, new.base)
        start = clone.git("merge-base", base, head)
        item = issues.new_item(state, repo, title=new.title, body=new.body, by=by)
        item.pull = Pull(
            head_repo=head_repo,
            head=branch,
            head_sha=head,
            base=new.base,
            base_sha=start,
            draft=new.draft,
        )
        events.about_issue(state, repo, item, action="opened", by=by)
        return item


def _head_of(state: State, repo: Repo, head: str) -> tuple[str, str]:
    owner, _, branch = head.rpartition(":")
    if owner in ("", repo.owner):
        return repo.full, branch
    forks = [
        other.full
        for other in state.world.repos.values()
        if other.owner == owner and repo.full in (other.parent, other.full)
    ]
    if not forks:
        raise wrong("PullRequest", "head")
    return forks[0], branch


def _ends(state: State, repo: Repo, head_repo: str, branch: str, base: str) -> tuple[str, str]:
    head_sha = state.clone(head_repo).branch(branch)
    base_sha = state.clone(repo.full).branch(base)
    if head_sha is None:
        raise wrong("PullRequest", "head")
    if base_sha is None:
        raise wrong("PullRequest", "base")
    return head_sha, base_sha


def _refuse_second(repo: Repo, head_repo: str, branch: str, base: str) -> None:
    wanted = (head_repo, branch, base)
    open_pulls = (item.pull for item in repo.items.values() if item.state == "open" and item.pull)
    if any((pull.head_repo, pull.head, pull.base) == wanted for pull in open_pulls):
        owner = head_repo.partition("/")[0]
        raise invalid("PullRequest", f"A pull request already exists for {owner}:{branch}.")


def find_pull(state: State, repo: Repo, number: int) -> tuple[Item, Pull]:
    item = issues.find(repo, number)
    if item.pull is None:
        raise not_found()
    return item, json_pull_views.current(state, repo, item)


def set_state(state: State, full: str, number: int, wanted: str, *, by: str) -> Item:
    with state.lock:
        item, pull = find_pull(state, state.repo(full), number)
        if wanted == "open" and item.state == "closed":
            if pull.merge_sha:
                raise invalid(
                    "PullRequest", "A merged pull request cannot be reopened.", field="state"
                )
            if state.clone(pull.head_repo).branch(pull.head) is None:
                raise invalid(
                    "PullRequest", f"The {pull.head} branch has been deleted.", field="state"
                )
        return issues.set_state(state, full, number, wanted, by=by)


def merge(state: State, full: str, number: int, how: Merging, *, by: str) -> str:
    """Returns the commit that the base branch has since; 405 and 409 as GitHub says them."""
    with state.lock:
        repo = state.repo(full)
        item, pull = find_pull(state, repo, number)
        _refuse_merge(item, pull, how)
        clone = state.clone(full)
        base = clone.branch(pull.base)
        if base is None:
            raise Refusal(405, "Base branch was deleted")
        try:
            sha = _merged(clone, item, Sides(base, pull.head_sha), how, state.signature(by))
        except ConflictedError:
            raise Refusal(405, "Pull Request is not mergeable") from None
        clone.move(pull.base, sha)
        pull.merge_sha, pull.merged_over = sha, base
        pull.merged_at, pull.merged_by, repo.pushed_at = state.now(), by, state.now()
        issues.note(state, item, "merged", by=by, commit=sha)
        issues.set_state(state, full, number, "closed", by=by)
        events.about_push(state, repo, pull.base, base, sha, by=by)
        if pull.base == repo.default_branch:
            issues.close_named(state, full, f"{item.title}\n{item.body or ''}", by=by, commit=sha)
        return sha


def _refuse_merge(item: Item, pull: Pull, how: Merging) -> None:
    if item.state != "open":
        raise Refusal(405, "Pull Request is not mergeable")
    if pull.draft:
        raise Refusal(405, "Pull Request is still a draft")
    if how.sha and how.sha != pull.head_sha:
        raise Refusal(409, "Head branch was modified. Review and try the merge again.")
    if how.method not in ("merge", "squash", "rebase"):
        raise wrong("PullRequest", "merge_method")


def _merged(clone: Clone, item: Item, sides: Sides, how: Merging, by: Signature) -> str:
    if how.method == "rebase":
        return git_repositories.rebase(clone, sides, by)
    if how.method == "squash":
        title = how.title or f"{item.title} (#{item.number})"
        message = _message(title, how.message)
        return git_repositories.merge(clone, sides, message, by, is_squash=True)
    title = how.title or _merge_title(item)
    return git_repositories.merge(clone, sides, _message(title, how.message or item.title), by)


def _merge_title(item: Item) -> str:
    pull = item.pull
    place = f"{pull.head_repo.partition('/')[0]}/{pull.head}" if pull else ""
    return f"Merge pull request #{item.number} from {place}"


def _message(title: str, body: str) -> str:
    return f"{title}\n\n{body}\n" if body else f"{title}\n"


def revert(state: State, full: str, number: int, *, by: str) -> Item:
    """GitHub's button, and the merge that follows it: a pull request in GitHub's own words.

    Of a revert it is the re-application.
    """
    with state.lock:
        repo, clone = state.repo(full), state.clone(full)
        item, pull = find_pull(state, repo, number)
        top = clone.branch(pull.base)
        if not pull.merge_sha or top is None:
            raise invalid("PullRequest", "Only a merged pull request can be reverted.")
        who = state.signature(by)
        try:
            tree = git_repositories.reverted_tree(
                clone, top, before=pull.merged_over, after=pull.merge_sha, by=who
            )
        except ConflictedError:
            raise Refusal(405, "Sorry, this pull request couldn't be reverted.") from None
        subject = clone.commits(pull.merge_sha)[0].message.partition("\n")[0]
        reverted_title = item.title if subject.startswith("Merge pull request") else subject
        message = f'Revert "{reverted_title}"\n\nThis reverts commit {pull.merge_sha}.\n'
        branch = f"revert-{number}-{pull.head}"
        clone.move(branch, clone.write((top,), tree, message, who))
        new = Opening(f'Revert "{item.title}"', f"Reverts {full}#{number}", branch, pull.base)
        made = open_pull(state, full, new, by=by, may_push=True)
        merge(state, full, made.number, Merging(), by=by)
        return made


def fork(state: State, full: str, *, by: str) -> Repo:
    """The user's fork: the existing one, or a new one."""
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
