"""What a person is told when a call has failed: one line."""

from yudai.gateway.adapters.openai.endpoint import Endpoint
from yudai.gateway.adapters.openai.errors import Fault
from yudai.gateway.port import Call
from yudai.kit.causes import Cause


def wording(
    fault: Fault, endpoint: Endpoint, call: Call, *, failures: int, asked_s: float | None
) -> str:
    status = f" ({fault.status})" if fault.status else ""
    if fault.cause is Cause.CONTEXT_OVERFLOW:
        what = f"the conversation outgrew the context of {call.model}{status}"
    elif fault.cause is Cause.MODEL_REFUSED:
        what = f"{endpoint.name} {_refusal(fault, endpoint)}{status}"
    else:
        times = "" if failures == 1 else f" {failures} times, at last"
        wait = "" if asked_s is None else f" and asks to wait for {asked_s:.0f} s"
        what = f"{endpoint.name} failed{times}{status}{wait}"
    return f"{what}: {fault.words}"


def _refusal(fault: Fault, endpoint: Endpoint) -> str:
    variable = endpoint.key_variable or "the settings"
    if fault.status in (401, 403) and not endpoint.key:
        return f"wants a key: set {variable}"
    if fault.status == 401:
        return f"refused the key in {variable}"
    if fault.status == 403:
        return f"refused the call with the key in {variable}"
    return "knows no such model or address" if fault.status == 404 else "refused the call"
