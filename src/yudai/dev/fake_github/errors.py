"""How GitHub says no."""

from typing import Any

DOCS = "https://docs.github.com/rest"
MAX_TEXT = 65_536


class Refusal(Exception):  # noqa: N818 - it is an answer, not a failure
    def __init__(
        self,
        status: int,
        message: str,
        *,
        errors: list[dict[str, Any]] | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.errors = errors
        self.headers = headers or {}

    def document(self) -> dict[str, Any]:
        body: dict[str, Any] = {"message": self.message}
        if self.errors is not None:
            body["errors"] = self.errors
        return body | {"documentation_url": DOCS, "status": str(self.status)}


def not_found() -> Refusal:
    return Refusal(404, "Not Found")


def invalid(resource: str, message: str, *, field: str = "") -> Refusal:
    """A documented rule with its own message."""
    error = {"resource": resource, "code": "custom", "message": message}
    return Refusal(422, "Validation Failed", errors=[error | ({"field": field} if field else {})])


def wrong(resource: str, field: str, code: str = "invalid") -> Refusal:
    """`invalid`, `missing_field`, `already_exists` ..."""
    return Refusal(
        422, "Validation Failed", errors=[{"resource": resource, "field": field, "code": code}]
    )


def check_text(resource: str, text: str | None, field: str = "body") -> None:
    if text is not None and len(text) > MAX_TEXT:
        raise invalid(
            resource, f"{field} is too long (maximum is {MAX_TEXT} characters)", field=field
        )
