"""Where a solve came from, and what is published of it."""

from enum import StrEnum

from yudai.kit.value import Value


class PublishMode(StrEnum):
    NEVER = "never"
    ASK = "ask"
    """When a person says so."""
    AUTO = "auto"
    """As soon as there is a champion that was verified."""


class OriginKind(StrEnum):
    PERSON = "person"
    """Through the command line, the page or the API."""
    LABEL = "label"
    COMMENT = "comment"


class Origin(Value):
    """How a solve was asked for."""

    kind: OriginKind = OriginKind.PERSON
    login: str = ""
    """Who asked at the forge."""
    url: str = ""
    """Where they asked."""
