"""What of a patch keeps it from being published, and what a reviewer should see first."""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterator
from enum import StrEnum
from typing import NamedTuple

from yudai.kit.errors import RefusedError
from yudai.kit.value import Value
from yudai.patches.binary import inflate
from yudai.patches.patch import SUBMODULE, SYMLINK, FileChange, Patch, forbidden, readable
from yudai.patches.secrets import find_secrets

EXECUTABLE = "100755"
_FILE_MODES = frozenset({"", "100644", EXECUTABLE})
# Text that is shown in another order than it is read, or not shown at all.
_HIDDEN = re.compile("[\u200b\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]")


class Bounds(Value):
    patch_bytes: int = 5 << 20
    files: int = 300
    inflated_bytes: int = 20 << 20


BOUNDS = Bounds()


class Rule(StrEnum):
    ASTRAY = "astray"
    """Outside the repository, into .git, or protected by the repository's own file."""
    WORKFLOW = "workflow"
    OWNERS = "owners"
    SUBMODULE = "submodule"
    CI = "ci"
    LINK = "link"
    MODE = "mode"
    SIZE = "size"
    SECRET = "secret"  # noqa: S105 - a rule's name
    LOCK_FILE = "lock_file"
    EXECUTABLE = "executable"
    FORGE_FILE = "forge_file"
    BUILD = "build"
    AUTORUN = "autorun"
    HIDDEN_TEXT = "hidden_text"


class Reason(Value):
    rule: Rule
    path: str = ""
    """"" where it is about the whole patch."""
    text: str
    """One line for a person."""


class Inspection(Value):
    blocks: tuple[Reason, ...] = ()
    """Any of these: not to be published by itself."""
    flags: tuple[Reason, ...] = ()
    """Published, and said in the pull request."""

    def check(self) -> None:
        """RefusedError with all that blocks it, in one line."""
        if self.blocks:
            texts = dict.fromkeys(reason.text for reason in self.blocks)
            raise RefusedError("; ".join(list(texts)[:_MAX_REASONS]))


_MAX_REASONS = 10


class _PathRule(NamedTuple):
    rule: Rule
    pattern: re.Pattern[str]
    """Of the whole path as a file system that folds letters would read it."""
    text: str


def _path_rule(rule: Rule, text: str, *patterns: str) -> _PathRule:
    return _PathRule(rule, re.compile("|".join(patterns)), text)


_BLOCKED = (
    _path_rule(
        Rule.WORKFLOW,
        "workflows and actions run with the repository's own rights: a person has to change them",
        r"\.(?:github|gitea|forgejo)/(?:workflows|actions)(?:/.*)?",
    ),
    _path_rule(
        Rule.OWNERS,
        "says who has to review what: a person has to change it",
        r"(?:(?:\.github|\.gitlab|\.gitea|\.forgejo|docs)/)?codeowners",
    ),
    _path_rule(
        Rule.SUBMODULE, "says where submodules come from: a person has to change it",
        r"(?:.*/)?\.gitmodules", r"(?:.*/)?gitmod~\d+",
    ),
    _path_rule(
        Rule.CI,
        "says what CI runs: a person has to change it",
        r"\.gitlab-ci\.ya?ml", r"\.gitlab/(?:ci/.*|.*\.gitlab-ci\.ya?ml)",
        r"\.(?:circleci|buildkite|semaphore|teamcity|tekton|azure-pipelines|woodpecker|builds)/.*",
        r"(?:.*/)?jenkinsfile(?:[.-][\w-]+)?", r"(?:.*/)?azure-pipelines[\w.-]*\.ya?ml",
        r"\.(?:travis|appveyor|drone|woodpecker|cirrus|build|zuul)\.(?:ya?ml|star|jsonnet)",
        r"(?:appveyor|bitbucket-pipelines|cloudbuild|buildspec|codefresh|wercker|zuul)\.ya?ml",
    ),
)  # fmt: skip

_FLAGGED = (
    _path_rule(Rule.FORGE_FILE, "is read by the forge itself", r"\.(?:github|gitlab)/.*"),
    _path_rule(
        Rule.LOCK_FILE,
        "pins what is installed: see that nothing strange came in",
        r"(?:.*/)?(?:.*\.lock|.*-lock\.(?:json|ya?ml)|npm-shrinkwrap\.json|go\.(?:sum|work\.sum)"
        r"|.*\.lockb|\.terraform\.lock\.hcl|package\.resolved|requirements[^/]*\.txt)",
    ),
    _path_rule(
        Rule.AUTORUN,
        "runs or is obeyed by itself on a developer's machine",
        r"(?:.*/)?(?:sitecustomize\.py|usercustomize\.py|.*\.pth|\.envrc)",
        r"(?:.*/)?\.(?:husky|vscode|idea|devcontainer|cursor|claude|githooks)/.*",
        r"(?:.*/)?(?:agents|claude|gemini)\.md", r"(?:.*/)?\.cursorrules",
        r"(?:.*/)?\.(?:gitattributes|pre-commit-config\.ya?ml|lfsconfig)",
    ),
    _path_rule(
        Rule.BUILD,
        "says how the project is built or tested",
        r"(?:.*/)?(?:pyproject\.toml|setup\.(?:py|cfg)|tox\.ini|noxfile\.py|conftest\.py|package\.json)",
        r"(?:.*/)?(?:(?:gnu)?makefile|.*\.mk|cmakelists\.txt|meson\.build|build\.(?:bazel|rs|xml))",
        r"(?:.*/)?(?:(?:docker|container)file(?:\..*)?|(?:docker-)?compose[\w.-]*\.ya?ml|\.dockerignore)",
        r"(?:.*/)?(?:pom\.xml|.*\.gradle(?:\.kts)?|cargo\.toml|go\.(?:mod|work)|gemfile|rakefile)",
        r"(?:.*/)?(?:\.npmrc|\.yarnrc(?:\.yml)?|\.pnpmfile\.cjs|pip\.conf|composer\.json|.*\.csproj)",
        r"(?:.*/)?(?:tsconfig[\w.-]*\.json|(?:vite|webpack|rollup|babel|jest|vitest)\.config\.[cm]?[jt]s)",
    ),
)  # fmt: skip


def inspect(
    patch: Patch, *, protected: Collection[str] = (), bounds: Bounds = BOUNDS
) -> Inspection:
    """Find what blocks publishing a patch, and what a person should look at first.

    `protected` are the repository's own globs of paths that no patch may change.
    """
    sizes = tuple(_sizes(patch, bounds))
    if sizes:
        # Nothing is read in what is too big to be read.
        return Inspection(blocks=sizes)
    blocks = [
        *(Reason(rule=Rule.ASTRAY, text=text) for text in forbidden(patch, protected=protected)),
        *_by_path(patch, _BLOCKED),
        *_by_change(patch, _link),
    ]
    return Inspection(
        blocks=(*blocks, *_contents(patch, bounds)),
        flags=(*_by_path(patch, _FLAGGED), *_by_change(patch, _attention)),
    )


def too_large(size: int, bounds: Bounds = BOUNDS) -> Reason | None:
    """The same limit for callers that have only the bytes of a patch."""
    if size <= bounds.patch_bytes:
        return None
    return _about_size(f"the patch has {_mb(size)}, {_mb(bounds.patch_bytes)} are published")


def _sizes(patch: Patch, bounds: Bounds) -> Iterator[Reason]:
    if reason := too_large(sum(len(change.text) for change in patch.files), bounds):
        yield reason
    if patch.files_changed > bounds.files:
        yield _about_size(
            f"the patch changes {patch.files_changed} files, {bounds.files} are published"
        )


def _contents(patch: Patch, bounds: Bounds) -> Iterator[Reason]:
    try:
        binaries = inflate(patch, most=bounds.inflated_bytes).new
    except RefusedError as error:
        yield _about_size(str(error))
        binaries = {}
    for finding in find_secrets(patch, binaries):
        yield Reason(
            rule=Rule.SECRET, path=finding.path, text=f"{finding}: a secret is never published"
        )


def _by_path(patch: Patch, rules: tuple[_PathRule, ...]) -> Iterator[Reason]:
    for change in patch.files:
        folded = fold(change.path)
        rule = next((rule for rule in rules if rule.pattern.fullmatch(folded)), None)
        if rule is not None:
            yield _about(change, rule.rule, rule.text)


def _by_change(patch: Patch, look: Callable[[FileChange], Reason | None]) -> Iterator[Reason]:
    return (reason for change in patch.files if (reason := look(change)) is not None)


def _link(change: FileChange) -> Reason | None:
    modes = (change.old_mode, change.new_mode)
    if SYMLINK in modes:
        return _about(change, Rule.LINK, "is a symbolic link: a person has to change it")
    # Submodules are reported already.
    if SUBMODULE not in modes and not _FILE_MODES.issuperset(modes):
        return _about(change, Rule.MODE, f"has the mode {change.new_mode}, which no file has")
    return None


def _attention(change: FileChange) -> Reason | None:
    if change.new_mode == EXECUTABLE != change.old_mode:
        return _about(change, Rule.EXECUTABLE, "can be executed from now on")
    if any(_HIDDEN.search(line) for line in change.added_lines):
        return _about(change, Rule.HIDDEN_TEXT, "has characters that are not seen")
    return None


def fold(path: str) -> str:
    """A path as file systems read it that fold letters and leave characters out."""
    return "/".join(_fold_part(part) for part in path.split("/"))


def _fold_part(part: str) -> str:
    seen = (char for char in part if unicodedata.category(char) != "Cf")
    return unicodedata.normalize("NFKC", "".join(seen)).casefold().rstrip(" .")


def _about(change: FileChange, rule: Rule, text: str) -> Reason:
    return Reason(rule=rule, path=change.path, text=f"{readable(change.path)}: {text}")


def _about_size(text: str) -> Reason:
    return Reason(rule=Rule.SIZE, text=text)


def _mb(size: int) -> str:
    return f"{size / (1 << 20):.1f} MB"
