"""Names in a test's script that refer to the product: its modules and their members."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from yudai.verification.domain.sources.script_definitions import pattern_names
from yudai.verification.domain.sources.script_tokens import Script

_VALUES = frozenset({"const", "let", "var"})
_MEMBER = frozenset({".", "?."})
_ROUNDS = 3
_MOST_IMPORTED = 200


class Product(NamedTuple):
    whole: frozenset[str]
    """Names of modules and of their copies."""
    parts: frozenset[str]
    """Names of their members: functions, classes, values."""
    made: frozenset[str]
    """Names of instances of the product's classes."""
    originals: Mapping[str, str]
    """By local name: the original name."""

    @property
    def names(self) -> frozenset[str]:
        return self.whole | self.parts | self.made

    @property
    def kept(self) -> frozenset[str]:
        return self.whole | self.parts


def product_of(script: Script) -> Product:
    forms: dict[str, str] = {}
    originals: dict[str, str] = {}
    for _ in range(_ROUNDS):
        known = len(forms)
        for at in range(len(script.tokens)):
            for name, form, original in _bound(script, at, forms):
                forms.setdefault(name, form)
                originals.setdefault(name, original)
        if len(forms) == known:
            break
    whole, parts, made = (frozenset(n for n, f in forms.items() if f == form) for form in _FORMS)
    return Product(whole, parts, made, originals)


_FORMS = ("whole", "part", "made")


def chain_end(script: Script, at: int) -> int:
    """The position after `name.member?.member`."""
    at += 1
    while script.word(at) in _MEMBER and script.is_name(at + 1):
        at += 2
    return at


def is_root(script: Script, at: int, names: frozenset[str]) -> bool:
    return script.word(at) in names and script.word(at - 1) not in _MEMBER


def is_bare(script: Script, start: int, end: int, names: frozenset[str]) -> bool:
    """Whether these tokens are such a name with members, without a call."""
    return is_root(script, start, names) and chain_end(script, start) == end


def is_taken_apart(script: Script, at: int) -> bool:
    """Whether it is in the braces of `const { name, other } = ...`."""
    for before in range(at - 1, max(-1, at - _MOST_IMPORTED), -1):
        if script.word(before) == "{" and script.partners[before] > at:
            return script.word(script.partners[before] + 1) == "="
    return False


def _bound(script: Script, at: int, forms: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    word = script.word(at)
    if word == "import" and script.word(at + 1) not in {"(", "."}:
        yield from _imported(script, at)
    elif word in _VALUES:
        target, is_pattern = at + 1, script.word(at + 1) in {"{", "["}
        last = script.partners[target] if is_pattern else target
        if script.word(last + 1) == "=" and (form := _form(script, last + 2, forms)):
            yield from _names(script, target, "part" if is_pattern and form != "made" else form)


def _imported(script: Script, at: int) -> Iterator[tuple[str, str, str]]:
    ends = range(at + 1, min(at + _MOST_IMPORTED, len(script.tokens)))
    end = next((i for i in ends if script.string(i) is not None), None)
    if end is None or not _is_own(script.string(end)):
        return
    form = "whole"
    for inner in range(at + 1, end):
        form = "part" if script.word(inner) == "{" else form
        is_bound = script.is_name(inner) and script.word(inner + 1) != "as"
        if is_bound and script.word(inner) not in {"from", "as", "type"}:
            renamed = script.word(inner - 1) == "as" and form == "part"
            yield (
                script.word(inner),
                form,
                script.word(inner - 2) if renamed else script.word(inner),
            )


def _is_own(module: str | None) -> bool:
    """Whether the name is a path or an alias for one; other names are packages."""
    return module is not None and module.startswith((".", "/", "@/", "~/", "#"))


def _form(script: Script, at: int, forms: Mapping[str, str]) -> str:
    """The form of the expression that begins here; empty if it is not the product's."""
    while script.word(at) in {"await", "("}:
        at += 1
    if script.word(at) in {"require", "import"} and script.word(at + 1) == "(":
        is_own = _is_own(script.string(at + 2))
        is_member = script.word(script.partners[at + 1] + 1) in _MEMBER
        return ("part" if is_member else "whole") if is_own else ""
    if script.word(at) == "{" and script.word(at + 1) == "...":
        return forms.get(script.word(at + 2), "")
    is_new = script.word(at) == "new"
    root = at + 1 if is_new else at
    form = forms.get(script.word(root), "")
    if not form:
        return ""
    end = chain_end(script, root)
    if is_new:
        return "made"
    if script.word(end) == "(":
        return ""
    return form if end == root + 1 else "part"


def _names(script: Script, target: int, form: str) -> Iterator[tuple[str, str, str]]:
    if script.word(target) not in {"{", "["}:
        name = script.word(target)
        last = chain_end(script, target + 2) - 1
        yield name, form, script.word(last) if script.is_name(last) else name
        return
    originals = {
        script.word(inner + 2): script.word(inner)
        for inner in range(target + 1, script.partners[target])
        if script.is_name(inner) and script.word(inner + 1) == ":"
    }
    for name in pattern_names(script, target):
        is_rest = any(
            script.word(i) == "..." and script.word(i + 1) == name
            for i in range(target + 1, script.partners[target])
        )
        yield name, "whole" if is_rest else form, originals.get(name, name)
