"""Reads the rules of a Makefile without make."""

import re
from typing import NamedTuple

_RULE = re.compile(r"([A-Za-z0-9_.-]+(?:\s+[A-Za-z0-9_.-]+)*)\s*::?(?!=)\s*([^#=]*)(?:#.*)?")
_VARIABLE = re.compile(r"(?:export\s+|override\s+)?([A-Za-z_][\w.-]*)\s*(?:\?|:{1,3}|)=\s*(.*)")
_USE = re.compile(r"\$[({]([A-Za-z_][\w.-]*)[)}]")
_ROUNDS = 5


class Rule(NamedTuple):
    prerequisites: tuple[str, ...]
    recipe: tuple[str, ...]
    """Commands with simple variables filled in, without make's prefixes."""


def read_makefile(text: str) -> dict[str, Rule]:
    """Rules by target. Computed values stay unexpanded."""
    rules: dict[str, Rule] = {}
    variables: dict[str, str] = {}
    current: list[str] = []
    for line in re.sub(r"\s*\\\n\s*", " ", text).splitlines():
        if line.startswith("\t"):
            for target in current:
                rule = rules[target]
                rules[target] = rule._replace(recipe=(*rule.recipe, line.strip()))
        elif variable := _VARIABLE.fullmatch(line.strip()):
            variables.setdefault(variable[1], variable[2].strip())
            current = []
        elif match := _RULE.fullmatch(line.strip()):
            current = match[1].split()
            needs = tuple(word for word in match[2].split() if word != "|")
            for target in current:
                known = rules.get(target, Rule((), ()))
                rules[target] = known._replace(prerequisites=(*known.prerequisites, *needs))
        elif line.strip() and not line.lstrip().startswith("#"):
            current = []
    return {
        target: rule._replace(recipe=tuple(_plain(step, variables) for step in rule.recipe))
        for target, rule in rules.items()
        if not target.startswith(".")
    }


def _plain(step: str, variables: dict[str, str]) -> str:
    for _ in range(_ROUNDS):
        filled = _USE.sub(lambda use: variables.get(use[1], use[0]), step)[:10_000]
        if filled == step:
            break
        step = filled
    return step.lstrip("@-+ ").replace("$$", "$")
