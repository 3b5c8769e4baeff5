"""A trajectory as plain text for people. Text of the model and of commands is indented.

So nothing an agent prints can look like a heading or an exit code.
"""

from collections.abc import Iterator

from yudai.kit.money import usd
from yudai.runs.domain.trajectory.steps import Action, Step

_INDENT = "    "


def told(step: Step, *, began_at: float) -> str:
    """One step, with its time since the trajectory began."""
    return "".join(f"{line}\n" for line in _lines(step, began_at))


def _lines(step: Step, began_at: float) -> Iterator[str]:
    seconds = max(0.0, step.started_at - began_at)
    cost = f", ${usd(step.usage.cost_micros):.4f}" if step.usage.cost_micros else ""
    yield f"Step {step.number} (+{seconds:.1f} s{cost})"
    yield from _block("Reasoning", step.reasoning)
    yield from _block("Thought", step.thought)
    for action in step.actions:
        yield from _action(action)
    for message in step.told:
        yield from _block(_heading(message.role), message.text)
    yield ""


def _action(action: Action) -> Iterator[str]:
    yield from _block("Command", action.command)
    code = "unknown" if action.returncode is None else action.returncode
    yield f"  Exit code {code}" + (":" if action.output else "")
    yield from _indented(action.output)
    yield from _block("Stopped", action.exception)
    yield from _block("StepInput", action.notice)


def _block(heading: str, text: str) -> Iterator[str]:
    if text:
        yield f"  {heading}:"
        yield from _indented(text)


def _indented(text: str) -> Iterator[str]:
    if text:
        for line in text.removesuffix("\n").replace("\r\n", "\n").split("\n"):
            yield _INDENT + line if line else ""


def _heading(role: str) -> str:
    known = {"system": "System", "user": "User", "exit": "Exit"}
    return known.get(role, "Other")
