"""What is asked of an earlier solve whose patches are judged again."""

from typing import Annotated

from pydantic import ConfigDict, Field, Strict

from yudai.kit.value import Value
from yudai.solves.domain import defaults


class AgainAsk(Value):
    """Only what can be different: patches, issue, base and tests are the earlier solve's."""

    model_config = ConfigDict(json_schema_extra={"examples": [{}, {"require_proof": False}]})

    reducer: str = Field(
        default=defaults.REDUCER, max_length=64, description="The rule that picks the champion."
    )
    require_proof: Annotated[bool, Strict()] = Field(
        default=True, description="Whether a champion has to be proved by a test."
    )
    max_parallel: Annotated[int, Strict()] | None = Field(
        default=None, ge=1, le=1000, description="Runs at once; unset: as in the earlier solve."
    )
