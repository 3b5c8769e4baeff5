"""mini-SWE-agent's model over one of our gateways."""

import json
from collections.abc import Callable, Sequence
from typing import Any, cast

from pydantic import BaseModel

from yudai.agents.adapters.mini_swe.thread_bridge import Bridge
from yudai.agents.adapters.mini_swe.upstream import FormatError, actions_toolcall
from yudai.agents.messages import facts_of, observe, said
from yudai.gateway.domain.models import Usage
from yudai.gateway.port import Call, Completion, Gateway, ToolCall
from yudai.kit.text import clean
from yudai.solves.domain.matrix import Contestant


class GatewayModelConfig(BaseModel):
    model_name: str
    model_kwargs: dict[str, Any]


class GatewayModel:
    def __init__(
        self,
        gateway: Gateway,
        bridge: Bridge,
        *,
        contestant: Contestant,
        now: Callable[[], float],
        format_error: Callable[[str], str],
    ) -> None:
        self.config = GatewayModelConfig(
            model_name=contestant.model, model_kwargs={"temperature": contestant.temperature}
        )
        self.usage = Usage()
        self._gateway = gateway
        self._bridge = bridge
        self._contestant = contestant
        self._now = now
        self._format_error = format_error
        self._turn = 0
        self._wire: list[dict[str, Any]] = []

    def query(self, messages: list[dict[str, Any]], **_: Any) -> dict[str, Any]:
        call = self._call(messages)
        completion = self._bridge.call(lambda: self._gateway.complete(call))
        self.usage += completion.usage
        temperature = self._contestant.temperature
        extra = facts_of(completion, temperature=temperature, at=self._now())
        said = _message(completion)
        try:
            actions = _actions(completion)
        except ValueError as error:
            raise self._refusal(str(error), extra | {"response": said}) from None
        return said | {"extra": {"actions": actions} | extra}

    def format_message(self, **message: Any) -> dict[str, Any]:
        return message

    def format_observation_messages(
        self,
        message: dict[str, Any],
        outputs: Sequence[dict[str, Any]],
        template_vars: dict[str, Any] | None = None,
    ) -> list[dict[str, Any]]:
        del template_vars
        actions = message["extra"]["actions"]
        return [
            observe(action, output, at=self._now())
            for action, output in zip(actions, outputs, strict=True)
        ]

    def get_template_vars(self, **_: Any) -> dict[str, Any]:
        return {}

    def serialize(self) -> dict[str, Any]:
        return {
            "model": self.config.model_dump(mode="json"),
            "model_type": "yudai.adapters.agents.model.GatewayModel",
        }

    def _call(self, messages: list[dict[str, Any]]) -> Call:
        # The history only grows, so each message is made ready for the wire once.
        self._wire += [
            {key: value for key, value in message.items() if key != "extra"}
            for message in messages[len(self._wire) :]
        ]
        self._turn += 1
        return Call(
            model=self._contestant.model,
            temperature=self._contestant.temperature,
            messages=self._wire,
            tools=[actions_toolcall.BASH_TOOL],
            turn=self._turn - 1,
        )

    def _refusal(self, error: str, extra: dict[str, Any]) -> FormatError:
        """Stored beside our answer to an unusable reply. The model sees only the answer."""
        return FormatError(
            {
                "role": "user",
                "content": self._format_error(error),
                "extra": {"interrupt_type": "FormatError"} | extra,
            }
        )


def _message(completion: Completion) -> dict[str, Any]:
    # Gateways send reasoning back only to those who gave it; others would refuse it.
    empty: dict[str, Any] = {"role": "assistant", "content": "", "tool_calls": []}
    return empty | said(completion)


def _actions(completion: Completion) -> list[dict[str, str]]:
    if completion.tool_calls:
        return [
            {"command": _command(call), "tool_call_id": clean(call.id)}
            for call in completion.tool_calls
        ]
    if completion.finish_reason == "length":
        raise ValueError("The reply reached the output limit before a tool call: be briefer.")
    raise ValueError("There was no tool call in the reply.")


def _command(call: ToolCall) -> str:
    if call.name != "bash":
        raise ValueError(f"There is no tool named {clean(call.name[:100])!r}, only 'bash'.")
    try:
        arguments: Any = json.loads(call.arguments)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"The arguments are not valid JSON: {str(error)[:200]}.") from None
    command = (
        cast("dict[str, Any]", arguments).get("command") if isinstance(arguments, dict) else ""
    )
    if not isinstance(command, str) or not command.strip():
        raise ValueError("The arguments have no 'command' that is a text.")
    if clean(command) != command:
        raise ValueError("The command holds a NUL or another character that no shell takes.")
    return command
