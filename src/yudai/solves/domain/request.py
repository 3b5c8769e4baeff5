"""The request for a solve: the body of POST /api/solves."""

from decimal import Decimal
from typing import Annotated, Any

from pydantic import (
    BeforeValidator,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    Strict,
    model_validator,
)
from pydantic_core import CoreSchema, PydanticCustomError

from yudai.forge.domain.issue import Issue, from_markdown
from yudai.gateway.domain.models import MAX_DOLLARS, MAX_NAME, Price, price_in_dollars
from yudai.kit.errors import RefusedError, about
from yudai.kit.money import MICROS_PER_USD
from yudai.kit.untyped import as_items, is_object
from yudai.kit.value import Value
from yudai.solves.domain import defaults
from yudai.solves.domain.asked_patch import EXAMPLE_PATCHES, AskedPatches
from yudai.solves.domain.budget import MAX_SECONDS, Budget
from yudai.solves.domain.matrix import Matrix
from yudai.solves.domain.origin import PublishMode
from yudai.solves.domain.place import Folder, Remote, folder_at, place_at

MAX_ISSUE = 200_000
MAX_TITLE = 500
MAX_MODELS = 100
MAX_AXIS = 1000
MAX_COMMAND = 10_000
_MAX_NUMBER = 1 << 53
_MAX_USD = 100_000
_LINE = r"^[^\x00-\x1f\x7f]*$"
_TEXT = r"^[^\x00]*$"
_NUMBERS = ("temperatures", "temps", "max_edits")
_SPELLINGS = {"temps": "temperatures", "evolution": "strategies"}
Whole = Annotated[int, Strict()]
Amount = Annotated[float, Strict()]
Flag = Annotated[bool, Strict()]
Command = Annotated[str, Field(max_length=MAX_COMMAND, pattern=_TEXT)]
ModelName = Annotated[str, Field(min_length=1, max_length=MAX_NAME, pattern=_LINE)]


def _checked_axes(raw: object) -> object:
    """Refuse values that pydantic would silently convert to numbers, and invalid names."""
    if not is_object(raw):
        return raw
    for axis in _NUMBERS:
        if any(isinstance(value, (str, bool)) for value in as_items(raw.get(axis))):
            raise _wrong(axis, f"{axis} are numbers")
    for axis, items in raw.items():
        if len(as_items(items)) > (MAX_MODELS if axis == "models" else MAX_AXIS):
            raise _wrong(axis, f"there are too many {axis}")
    for axis in ("models", "agents"):
        if any(not _is_name(name) for name in as_items(raw.get(axis))):
            raise _wrong(axis, f"{axis} have printable names of at most {MAX_NAME} characters")
    return raw


def _wrong(axis: str, message: str) -> PydanticCustomError:
    """Error of the whole matrix's validator; `field` names the axis."""
    return PydanticCustomError("axis", "{message}", {"message": message, "field": axis})


def _is_name(value: object) -> bool:
    text = str(value)
    return text.isprintable() and len(text) <= MAX_NAME


class _Axes:
    """Add accepted spellings to the schema."""

    def __get_pydantic_json_schema__(
        self, core: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        schema = handler(core)
        properties: dict[str, Any] = handler.resolve_ref_schema(schema)["properties"]
        for axis in Matrix.model_fields:
            properties[axis]["maxItems"] = MAX_MODELS if axis == "models" else MAX_AXIS
        properties["agents"]["items"]["maxLength"] = MAX_NAME
        for spelling, axis in _SPELLINGS.items():
            also = {"title": spelling.title(), "description": f"Another spelling of {axis}."}
            properties[spelling] = properties[axis] | also
            del properties[spelling]["default"]
        return schema


AskedMatrix = Annotated[Matrix, BeforeValidator(_checked_axes), _Axes()]


class Limits(Value):
    """Limits; missing ones are the server's defaults."""

    max_parallel: Whole | None = Field(default=None, ge=1, le=1000, description="Runs at once.")
    max_runs: Whole | None = Field(
        default=None, ge=1, le=10_000, description="Most contestants; the server has a cap, too."
    )
    max_steps: Whole | None = Field(
        default=None, ge=1, le=10_000, description="Model calls of one run."
    )
    time_budget_s: Amount | None = Field(
        default=None, gt=0, le=MAX_SECONDS, description="Seconds for all runs together."
    )
    run_time_budget_s: Amount | None = Field(
        default=None, gt=0, le=MAX_SECONDS, description="Seconds for one run."
    )
    budget_usd: Amount | None = Field(
        default=None, ge=0, le=_MAX_USD, description="Dollars for all runs together."
    )
    run_budget_usd: Amount | None = Field(
        default=None, ge=0, le=_MAX_USD, description="Dollars for one run."
    )

    def budget(self, defaults: Budget) -> Budget:
        cap = _micros(self.budget_usd, defaults.cost_cap_micros)
        run_cap = _micros(self.run_budget_usd, defaults.run_cost_cap_micros)
        most = defaults.max_contestants
        return Budget(
            max_parallel=self.max_parallel or defaults.max_parallel,
            max_contestants=min(self.max_runs or most, most),
            time_budget_s=self.time_budget_s or defaults.time_budget_s,
            run_time_budget_s=self.run_time_budget_s or defaults.run_time_budget_s,
            max_steps=self.max_steps or defaults.max_steps,
            cost_cap_micros=cap,
            run_cost_cap_micros=min(cap, run_cap),
        )


class AskedPrice(Value):
    """Dollars per million tokens."""

    input_usd: Amount = Field(ge=0, le=MAX_DOLLARS)
    output_usd: Amount = Field(ge=0, le=MAX_DOLLARS)
    cached_usd: Amount | None = Field(
        default=None, ge=0, le=MAX_DOLLARS, description="Unset: the price of other input."
    )

    @property
    def price(self) -> Price:
        cached = None if self.cached_usd is None else Decimal(repr(self.cached_usd))
        return price_in_dollars(
            Decimal(repr(self.input_usd)), Decimal(repr(self.output_usd)), cached
        )


EXAMPLE_REMOTE: dict[str, Any] = {
    "repo_url": "https://github.com/owner/repo",
    "issue_number": 123,
    "base_branch": "main",
    "matrix": {
        "models": ["gpt-4.1", "claude-3.7-sonnet", "local-solo"],
        "temps": [0.2, 0.6],
        "max_edits": [3, 5],
        "evolution": ["test-first", "stacktrace-first", "small-steps"],
    },
    "limits": {"max_parallel": 6, "time_budget_s": 1800},
}
EXAMPLE_FOLDER: dict[str, Any] = {
    "repo_path": "/home/ada/passbook",
    "issue_text": "Interest is wrong in leap years\n\nA year of 366 days earns a day too little.",
    "matrix": {"models": ["gpt-4.1"], "temperatures": [0.2, 0.8], "strategies": ["test-first"]},
    "limits": {"budget_usd": 2.5, "max_runs": 4},
    "prices": {"gpt-4.1": {"input_usd": 2, "output_usd": 8, "cached_usd": 0.5}},
}
EXAMPLE_JUDGE: dict[str, Any] = {
    "repo_path": "/home/ada/passbook",
    "issue_text": "Interest is wrong in leap years",
    "patches": EXAMPLE_PATCHES,
}
_NO_MODEL = "name at least one model, or give patches"


class SolveAsk(Value):
    model_config = ConfigDict(
        json_schema_extra={"examples": [EXAMPLE_REMOTE, EXAMPLE_FOLDER, EXAMPLE_JUDGE]}
    )

    repo_url: str = Field(
        default="",
        max_length=1000,
        pattern=_LINE,
        description="`https://host/owner/name`, or `owner/name` at the forge that this server "
        "asks; in local mode also a folder, or `file://` one.",
    )
    repo_path: str = Field(
        default="",
        max_length=4000,
        pattern=_TEXT,
        description="In local mode instead of `repo_url`: a folder in a git repository, by its "
        "whole path.",
    )
    issue_number: Whole | None = Field(default=None, ge=1, le=_MAX_NUMBER)
    issue_repo: str = Field(
        default="",
        max_length=300,
        pattern=_LINE,
        description="Of a folder: `owner/name` at the forge that has the issue.",
    )
    issue_text: str = Field(
        default="",
        max_length=MAX_ISSUE,
        description="The issue as text; with `issue_number` it goes before the issue's own text.",
    )
    issue_title: str = Field(
        default="", max_length=MAX_TITLE, description="Unset: the first line of `issue_text`."
    )
    base_branch: str = Field(
        default="",
        max_length=300,
        pattern=_LINE,
        description="A branch, or in a folder any commit; unset: the forge's default branch, or "
        "what is checked out in the folder.",
    )
    dirty: Flag = Field(default=False, description="Include a folder's uncommitted changes.")
    matrix: AskedMatrix = Field(
        default=Matrix(),
        description="The agents' contestants; may be missing beside `patches`.",
    )
    patches: AskedPatches = Field(
        default=(),
        description="Patches that exist: contestants that are only judged, beside the matrix or "
        "instead of it. They need no model and cost nothing.",
    )
    limits: Limits = Limits()
    prices: dict[ModelName, AskedPrice] = Field(
        default={}, max_length=MAX_MODELS, description="For models without a known price."
    )
    setup: tuple[Command, ...] | None = Field(
        default=None,
        max_length=50,
        description="Set-up commands instead of the detected ones; []: none.",
    )
    test: Command = Field(default="", description="The test command instead of the detected one.")
    env: str = Field(
        default="",
        max_length=4000,
        pattern=_TEXT,
        description="A Python environment on this machine, used read-only instead of a set-up.",
    )
    reducer: str = Field(
        default=defaults.REDUCER, max_length=64, description="The rule that picks the champion."
    )
    require_proof: Flag = Field(
        default=True, description="Whether a champion has to be proved by a test."
    )
    publish: PublishMode | None = Field(
        default=None,
        description="Whether the champion becomes a pull request: `auto` as soon as it is "
        "verified, `ask` on request, `never`; unset: the server's default.",
    )

    @model_validator(mode="after")
    def _check_contestants(self) -> "SolveAsk":
        if self._lacks_contestants():
            raise _wrong("matrix.models", _NO_MODEL)
        return self

    def _lacks_contestants(self) -> bool:
        return not self.matrix.models and not self.patches

    @property
    def pulls(self) -> tuple[int, ...]:
        return tuple(one.pull for one in self.patches if one.pull is not None)

    @property
    def place(self) -> Folder | Remote:
        """The repository; RefusedError says what is wrong with it."""
        if bool(self.repo_url) == bool(self.repo_path):
            raise RefusedError(
                "name the repository once: repo_url, or repo_path for a folder", field="repo_path"
            )
        with about(self.place_field):
            if self.repo_path:
                return folder_at(self.repo_path)
            return place_at(self.repo_url)

    @property
    def place_field(self) -> str:
        """Name of the field that has the repository."""
        return "repo_path" if self.repo_path else "repo_url"

    @property
    def placed(self) -> "SolveAsk":
        """The request with its repository normalised."""
        place = self.place
        if isinstance(place, Folder):
            named = {"repo_path": place.path, "repo_url": ""}
        else:
            named = {"repo_path": "", "repo_url": place.url}
        return self.model_copy(update=named)

    @property
    def setup_commands(self) -> tuple[str, ...] | None:
        return None if self.setup is None else tuple(line for line in self.setup if line.strip())

    @property
    def known_prices(self) -> dict[str, Price]:
        prices: dict[str, Price] = {}
        for name, asked in self.prices.items():
            with about(f"prices.{name}"):
                prices[name] = asked.price
        return prices

    @property
    def issue(self) -> Issue:
        text = self.issue_text.strip()
        if self.issue_title.strip() and text:
            issue = Issue(title=self.issue_title.strip(), body=text)
        elif text:
            issue = _from_text(text)
        elif self._has_issue_at_forge:
            named = f"#{self.issue_number}" if self.issue_number else f"pull-{self.pulls[0]}"
            issue = Issue(title=self.issue_title.strip() or f"{self.issue_repo}{named}")
        else:
            missing = "a folder has no numbered issues: give" if self.issue_number else "give"
            raise RefusedError(f"say what to solve: {missing} issue_text", field="issue_text")
        return issue.model_copy(update={"number": self.issue_number})

    @property
    def _has_issue_at_forge(self) -> bool:
        is_named = self.issue_number is not None or bool(self.pulls)
        return is_named and (bool(self.issue_repo) or isinstance(self.place, Remote))


def _from_text(text: str) -> Issue:
    head = text.partition("\n")[0].lstrip("# ").strip()
    if not 0 < len(head) <= MAX_TITLE:
        raise RefusedError(
            f"the first line of issue_text is the title, of 1 to {MAX_TITLE} characters: "
            "give a shorter one, or issue_title",
            field="issue_text",
        )
    return from_markdown(text)


def _micros(usd: float | None, default: int) -> int:
    return default if usd is None else round(usd * MICROS_PER_USD)
