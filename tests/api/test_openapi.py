"""The contract is written down, its examples are true, and no operation is without its answers."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import jsonschema
import pytest

from yudai.api.app import contract
from yudai.api.errors import KINDS, MEDIA_TYPE

FILE = Path(__file__).parents[2] / "docs" / "reference" / "openapi.json"
DOCUMENT = contract()


def operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in DOCUMENT["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation


def test_what_is_written_down_is_what_is_served():
    assert json.loads(FILE.read_text()) == DOCUMENT, "run `make gen`"


async def test_a_server_gives_its_own_contract(client: httpx.AsyncClient):
    assert (await client.get("/api/openapi.json")).json() == DOCUMENT


def test_operations_have_short_unique_names_and_a_place():
    names = [operation["operationId"] for _, _, operation in operations()]
    assert len(set(names)) == len(names)
    assert all(name.isalnum() and name[0].islower() for name in names)
    tags = {tag["name"] for tag in DOCUMENT["tags"]}
    for _, path, operation in operations():
        assert set(operation["tags"]) <= tags, path
        assert operation.get("description"), path


def test_every_operation_says_what_can_go_wrong():
    for method, path, operation in operations():
        responses = operation["responses"]
        assert {"413", "421", "500", "503"} <= set(responses), path
        if method != "GET":
            assert {"403", "415"} <= set(responses), path
        if "requestBody" in operation:
            assert {"400", "422"} <= set(responses), path
        if "{" in path:
            assert "404" in responses, path
        for status, response in responses.items():
            if int(status) >= 400:
                assert list(response["content"]) == [MEDIA_TYPE], (path, status)


def test_only_statuses_of_known_problems_are_reported():
    told = {int(s) for _, _, op in operations() for s in op["responses"] if int(s) >= 400}
    assert told == {kind.status for kind in KINDS.values()} - {405}


def schemas_with_examples() -> list[str]:
    schemas: dict[str, Any] = DOCUMENT["components"]["schemas"]
    return [name for name, schema in schemas.items() if "examples" in schema]


def bodies() -> set[str]:
    contents = [op["requestBody"]["content"] for _, _, op in operations() if "requestBody" in op]
    assert all(list(content) == ["application/json"] for content in contents)
    found = [content["application/json"]["schema"] for content in contents]
    refs = [each.get("$ref") or each["anyOf"][0]["$ref"] for each in found]
    return {ref.rpartition("/")[2] for ref in refs}


def test_every_body_has_an_example():
    assert bodies() <= set(schemas_with_examples())


@pytest.mark.parametrize("name", schemas_with_examples())
def test_examples_fit_their_schemas(name: str):
    schema = DOCUMENT["components"]["schemas"][name]
    whole = {**schema, "components": DOCUMENT["components"]}
    assert schema["examples"]
    for example in schema["examples"]:
        jsonschema.Draft202012Validator(whole).validate(example)


@pytest.mark.parametrize("spelling", ["temps", "evolution"])
def test_the_schema_knows_both_spellings_of_an_axis(spelling: str):
    # One schema for what is asked and what is told, as a forecast gives back what may be asked.
    matrix = DOCUMENT["components"]["schemas"]["Matrix"]
    assert spelling in matrix["properties"]
    # Only patches can do without.
    assert "required" not in matrix
    assert DOCUMENT["components"]["schemas"]["SolveAsk"].get("required", []) == []


def test_no_two_schemas_have_one_name():
    assert [name for name in DOCUMENT["components"]["schemas"] if "__" in name] == []
