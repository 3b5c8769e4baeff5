"""mini-SWE-agent's environment over one of our sandboxes."""

from typing import Any

from pydantic import BaseModel

from yudai.agents.adapters.mini_swe.thread_bridge import Bridge
from yudai.agents.messages import output_of
from yudai.sandboxes.port import WORKSPACE, Sandbox

# The sandbox stops a command at the deadline by itself and keeps its output; this is for one
# that does not answer.
_GRACE_S = 1.0


class SandboxEnvironmentConfig(BaseModel):
    cwd: str = WORKSPACE
    env: dict[str, str] = {
        "PAGER": "cat",
        "MANPAGER": "cat",
        "LESS": "-R",
        "PIP_PROGRESS_BAR": "off",
        "TQDM_DISABLE": "1",
    }
    timeout: float


class SandboxEnvironment:
    def __init__(
        self, sandbox: Sandbox, bridge: Bridge, *, timeout_s: float, finish_marker: str
    ) -> None:
        self.config = SandboxEnvironmentConfig(timeout=timeout_s)
        self._sandbox = sandbox
        self._bridge = bridge
        self._finish_marker = finish_marker

    def execute(self, action: dict[str, Any], cwd: str = "") -> dict[str, Any]:
        timeout_s = min(self.config.timeout, self._bridge.remaining_s)
        result = self._bridge.call(
            lambda: self._sandbox.exec(
                action["command"],
                cwd=cwd or self.config.cwd,
                env=self.config.env,
                timeout_s=timeout_s,
            ),
            grace_s=_GRACE_S,
        )
        stopped = f"The command was stopped after {timeout_s:.3g} s; this is its output so far."
        return output_of(result, result.text, stopped=stopped)

    def finished(self, output: dict[str, Any]) -> bool:
        """Whether the marker is the first line that the command printed and nothing went wrong."""
        first_line = output["output"].lstrip().partition("\n")[0].rstrip()
        clean = output["returncode"] == 0 and not output["exception_info"]
        return clean and first_line == self._finish_marker

    def get_template_vars(self, **_: Any) -> dict[str, Any]:
        """Nothing: upstream's environments put the host's variables here."""
        return {}

    def serialize(self) -> dict[str, Any]:
        return {
            "environment": self.config.model_dump(mode="json"),
            "environment_type": "yudai.adapters.agents.environment.SandboxEnvironment",
        }
