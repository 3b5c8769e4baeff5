"""Origin of a solve, and when it is published."""

from enum import StrEnum

from yudai.kit.value import Value


class PublishMode(StrEnum):
    NEVER = "never"
    ASK = "ask"
    """On a person's request."""
    AUTO = "auto"
    """As soon as there is a verified champion."""


class OriginKind(StrEnum):
    PERSON = "person"
    """By a person on the command line, the page or the API."""
    LABEL = "label"
    COMMENT = "comment"


class Origin(Value):
    """How a solve was requested."""

    kind: OriginKind = OriginKind.PERSON
    login: str = ""
    """Login of the requester at the forge."""
    url: str = ""
    """URL of the request."""
