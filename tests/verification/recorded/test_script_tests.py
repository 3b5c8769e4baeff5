"""Tests of node:test taken apart: statements, expressions, expected values, and what cannot be."""

# ruff: noqa: E501 - tables with one case in a line
import time

import pytest

from yudai.verification.domain.expected.literals import literal_of
from yudai.verification.recorded.domain.probe import Expected, Relation, TakenApart
from yudai.verification.recorded.domain.script_tests import take_apart

PATH = "test/x.test.js"
HEAD = """
import test, { describe, it, beforeEach } from 'node:test';
import assert, { strictEqual as same } from 'node:assert';
import { f, g as h } from '../src/f.js';
import whole, * as all from "shop";
import data from './data.json';
"""


def taken(text: str, title: str = "it", head: str = HEAD) -> TakenApart:
    return take_apart(PATH, f"{head}\n{text}", f"{PATH}::{title}")


def expected(relation: Relation, value: str) -> Expected:
    return Expected(relation, literal_of(value))


@pytest.mark.parametrize(
    ("assertion", "expression", "meant"),
    [
        ("assert.equal(f(1), '1h')", "f(1)", expected(Relation.EQUAL, "'1h'")),
        ("assert.strictEqual('1h', f(1));", "f(1)", expected(Relation.EQUAL, "'1h'")),
        ("assert.strict.equal(f(1), 2, 'why');", "f(1)", expected(Relation.EQUAL, "2")),
        ("assert.deepEqual(f([1, 2]), [{ a: null, 'b': -1 }])", "f([1, 2])", expected(Relation.EQUAL, '[{"a": null, "b": -1}]')),
        ("same(f(1), undefined)", "f(1)", expected(Relation.EQUAL, "undefined")),
        ("assert.notEqual(f(1), 2)", "f(1)", expected(Relation.DIFFERENT, "2")),
        ("assert(f(1) > 2)", "f(1) > 2", Expected(Relation.TRUE)),
        ("assert.ok(f(1), 'message')", "f(1)", Expected(Relation.TRUE)),
        ("assert.equal(f(1), h(1))", "f(1)", Expected(Relation.OPEN)),
        ("assert.equal(f(1), None)", "f(1)", Expected(Relation.OPEN)),
        ("assert.throws(() => f(1), RangeError)", "await attempt(() => f(1))", Expected(Relation.RAISES, None, "RangeError")),
        ("assert.throws(() => f(1), /bad/)", "await attempt(() => f(1))", Expected(Relation.RAISES)),
        ("await assert.rejects(f(1))", "await attempt(f(1))", Expected(Relation.RAISES)),
    ],
)  # fmt: skip
def test_an_assertion_says_what_is_computed_and_what_is_expected(
    assertion: str, expression: str, meant: Expected
):
    found = taken(f"test('it', async () => {{\n  {assertion}\n}});\n")
    assert [(probe.expression, probe.expected) for probe in found.probes] == [(expression, meant)]


def test_each_assertion_has_the_statements_before_it():
    found = taken(
        """
        const ITEMS = [1, 2];
        function fill(x) { return [...ITEMS, x]; }
        test('other', () => { assert.ok(false); });
        describe('group', () => {
          const inner = 3;
          it("it", function () {
            const cart = fill(inner)
            assert.equal(cart.length, 3)
            assert.throws(() => f(cart))
            cart.push(4)
            assert.deepEqual(f(cart), [1])
          });
        });
        """,
        "group > it",
    )
    assert found.reason == ""
    last = found.probes[-1]
    assert last.imports == (
        'const { "f": f, "g": h } = await load("../src/f.js");',
        'const { "default": whole } = await load("shop"); const all = await load("shop");',
        'const { "default": data } = await load("./data.json");',
    )
    assert last.code == (
        "const ITEMS = [1, 2];",
        "function fill(x) { return [...ITEMS, x]; };",
        "const inner = 3;",
        "const cart = fill(inner);",
        "(cart.length);",
        "try { await attempt(() => f(cart)); } catch {}",
        "cart.push(4);",
    )
    assert last.expression == "f(cart)"


def test_required_modules_stay_as_they_are():
    head = "const test = require('node:test');\nconst { equal } = require('assert');\n"
    [probe] = taken(
        "const { f } = require('../f');\ntest('it', () => { equal(f(1), 2); });", head=head
    ).probes
    assert (probe.imports, probe.code) == (("const { f } = require('../f');",), ())
    assert probe.expected == expected(Relation.EQUAL, "2")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("test('it', (t) => { assert.ok(f(t)); });", "it uses what its runner gives it"),
        ("test('it', { skip: true }, () => { assert.ok(f(1)); });", "it has options"),
        ("test('it', () => assert.ok(f(1)));", "its function cannot be read"),
        ("beforeEach(() => f(0));\ntest('it', () => { assert.ok(f(1)); });", "its file has a set-up"),
        ("test('it', () => { for (const x of [1]) assert.ok(f(x)); });", "it asserts in a branch, a loop or a helper"),
        ("const ok = (x) => assert.ok(x);\ntest('it', () => { ok(f(1)); });", "its file asserts in a helper"),
        ("test('it', () => { assert.ok(f(Date.now())); });", "it uses Date.now"),
        ("test('it', () => { setTimeout(f, 1); assert.ok(f(1)); });", "it uses setTimeout"),
        ("test('it', () => { assert.ok(f(__dirname)); });", "it uses __dirname"),
        ("test('it', () => { assert.ok(f(process.env.X)); });", "it uses process.env"),
        ("test('it', () => { f(1); });", "it asserts nothing that can be read"),
        ("test('other', () => { assert.ok(f(1)); });", "it does not stand in its file"),
        ("test('it', () => { assert.ok(f(1); });", "its file cannot be read"),
    ],
)  # fmt: skip
def test_what_cannot_be_taken_apart_is_said(text: str, reason: str):
    assert taken(text) == TakenApart(reason=reason)


def test_types_are_not_plain_javascript():
    found = take_apart("test/x.test.ts", HEAD, "test/x.test.ts::it")
    assert found == TakenApart(reason="it is no plain JavaScript")


@pytest.mark.parametrize(
    "text",
    [
        "test('it', () => { " + "assert.ok(f(1)); " * 20000 + "});",
        "test('it', () => { assert.ok(" + "(" * 5000 + "1" + ")" * 5000 + "); });",
        "const a = '" * 20000,
        "test('it', () => { assert.equal(f(1), " + "[" * 100 + "]" * 100 + "); });",
        "".join(f"const a{n} = a{n - 1};\n" for n in range(1, 3000))
        + "test('it', () => { assert.ok(a2999); });",
    ],
    ids=["many", "deep", "strings", "lists", "chain"],
)
def test_hostile_sources_take_no_time(text: str):
    began = time.monotonic()
    found = taken(text)
    assert time.monotonic() - began < 20
    assert len(found.probes) <= 20
