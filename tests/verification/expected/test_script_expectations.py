"""Edits of JavaScript tests that only change expected values, and those that weaken a test."""

# ruff: noqa: E501 (a table has a case in a line)

import pytest

from yudai.verification.domain.edits.tampering import tampering
from yudai.verification.domain.expectations import Expectation
from yudai.verification.domain.expected.subject import Subject

PATH = "test/shop.test.ts"
CHANGED = "changes lines of this existing test file"
SKIPPED = "skips tests of this existing test file"

FILE = """
import {{ total }} from '../shop';

describe('shop', () => {{
  it('adds', async (t) => {{
    {}
  }});

  it('subtracts', () => {{
    expect(sub(3, 1)).toBe(2);
  }});
}});
"""


def found(base: str, patched: str, path: str = PATH) -> list[tuple[str, Expectation | None]]:
    return [(f.reason, f.expectation) for f in tampering({path: base}, {path: patched})]


def in_test(base: str, patched: str) -> list[tuple[str, Expectation | None]]:
    return found(FILE.format(base), FILE.format(patched))


def values(base: str, patched: str) -> list[tuple[str, str]]:
    """Before and now of every changed expectation; nothing else may have been found."""
    edits = in_test(base, patched)
    assert all(expected for _, expected in edits), edits
    return [(e.before, e.now) for _, e in edits if e]


def test_a_changed_expectation_is_named():
    [(reason, expected)] = in_test("expect(f(1)).toBe(3);", "expect(f(1)).toBe(4);")
    assert reason == "changes what shop > adds expects: 3 -> 4"
    subject = Subject(names=("f",), inputs=("1",), is_clear=True)
    assert expected == Expectation(
        test="shop > adds",
        path=PATH,
        line=f"{PATH}: {reason}",
        before="3",
        now="4",
        subject=subject,
    )


@pytest.mark.parametrize(
    ("base", "patched", "before", "now"),
    [
        ("expect(f(1)).toBeTruthy();", "expect(f(1)).toBeFalsy();", "true", "false"),
        ("expect(() => f(1)).toThrow(TypeError);", "expect(() => f(1)).toThrow(RangeError);", "TypeError", "RangeError"),
        ("assert.throws(() => f(1), TypeError);", "assert.throws(() => f(1), RangeError);", "TypeError", "RangeError"),
        ("expect(f(1)).toBeInstanceOf(Shop);", "expect(f(1)).toBeInstanceOf(Store);", "Shop", "Store"),
        ("expect(f(1)).toBeGreaterThan(2);", "expect(f(1)).toBeGreaterThan(3);", "2", "3"),
        ("expect(f(1)).toBeLessThan(2);", "expect(f(1)).toBeLessThan(-1);", "2", "-1"),
        ("return request(app).get('/').expect(404);", "return request(app).get('/').expect(200);", "404", "200"),
    ],
)  # fmt: skip
def test_types_bounds_and_codes(base: str, patched: str, before: str, now: str):
    assert values(base, patched) == [(before, now)]


@pytest.mark.parametrize(
    ("base", "patched"),
    [
        ("expect(f(1)).toBeTruthy();", "expect(f(1)).toBe(false);"),
        ("expect(f(1)).toBeInstanceOf(Shop);", "expect(f(1)).toBeInstanceOf(Object);"),
        ("assert.throws(() => f(1), TypeError);", "assert.throws(() => f(1), Error);"),
        ("expect(f(1)).toBeLessThan(2);", "expect(f(1)).toBeLessThan(3);"),
        ("return request(app).get('/').expect(404);", "return request(app).get('/b').expect(200);"),
        ("return request(app).get('/').expect(404);", "return request(app).get('/').expect(any);"),
    ],
)
def test_what_lets_more_through(base: str, patched: str):
    assert [expected for _, expected in in_test(base, patched)] == [None]


def test_a_new_value_beside_more_assertions():
    old = "expect(f(1)).toBe(2);"
    assert values(old, "expect(f(1)).toBe(3);\n    expect(f(2)).toBe(4);") == [("2", "3")]
    assert values(old, "expect(f(2)).toBe(4);\n    expect(f(1)).toBe(3);") == [("2", "3")]


def subject_of(base: str, patched: str) -> Subject:
    [(_, expected)] = in_test(base, patched)
    assert expected is not None
    return expected.subject


def test_what_an_assertion_is_about():
    old, new = "const n = 5;\nassert.equal(human(n), '5s');", "'5 s'"
    assert subject_of(old, old.replace("'5s'", new)) == Subject(("human",), ("5",), is_clear=True)
    call = "const want = '5s';\nassert.equal(human(given), want);"
    assert not subject_of(call, call.replace("'5s'", new)).is_clear
    table = "it.each([[5, '5s'], [6, '6s']])('f', (a, b) => { expect(human(a)).toBe(b); });"
    changed = table.replace("'6s'", "'6 s'")
    [(_, expected)] = found(table, changed)
    assert expected is not None
    assert expected.subject == Subject(("human",), ("6",), is_clear=True)


@pytest.mark.parametrize(
    ("base", "patched", "before", "now"),
    [
        ("expect(f(1)).toBe(2)", "expect(f(1)).toBe(-3)", "2", "-3"),
        ("expect(f(1)).toBe(true)", "expect(f(1)).toBe(false)", "true", "false"),
        ("expect(f(1)).toEqual([1, 2])", "expect(f(1)).toEqual([1,\n 3,\n])", "[1, 2]", "[1, 3]"),
        ("expect(f(1)).toEqual({ a: 1 })", "expect(f(1)).toEqual({ a: 1, 'b-c': null })", "{a: 1}", "{a: 1, 'b-c': null}"),
        ("expect(f(1)).toStrictEqual({ id: u.id, n: 2 })", "expect(f(1)).toStrictEqual({ id: u.id, n: 3 })", "{id: u.id, n: 2}", "{id: u.id, n: 3}"),
        ("await expect(f(1)).resolves.toBe('a')", "await expect(f(1)).resolves.toBe(\"b\")", "'a'", '"b"'),
        ("expect(f(n)).toBe(`${n} items`)", "expect(f(n)).toBe(`${n} things`)", "`${n} items`", "`${n} things`"),
        ("expect(f(1)).toBe('a' + 'b')", "expect(f(1)).toBe('a' + 'c')", "'a'+'b'", "'a'+'c'"),
        ("expect(f(1)).toEqual(new Date('2020'))", "expect(f(1)).toEqual(new Date('2021'))", "new Date('2020')", "new Date('2021')"),
        ("expect(f(1)).toEqual([1] as const)", "expect(f(1)).toEqual([2] as const)", "[1]as const", "[2]as const"),
        ("expect(f(1)).toBeCloseTo(1.5, 3)", "expect(f(1)).toBeCloseTo(1.6, 3)", "1.5", "1.6"),
        ("expect(f(1)).toBeNull()", "expect(f(1)).toBe(3)", "null", "3"),
        ("expect(f(1)).toEqual([])", "expect(f(1)).toBeUndefined()", "[]", "undefined"),
        ("expect(f(1)).toHaveLength(2)", "expect(f(1)).toHaveLength(3)", "2", "3"),
        ("expect(f(1)).toHaveProperty('a', 2)", "expect(f(1)).toHaveProperty('a', 3)", "2", "3"),
        ("expect(f(1)).toMatchObject({ a: 1 })", "expect(f(1)).toMatchObject({ a: 2 })", "{a: 1}", "{a: 2}"),
        ("expect(f(1)).toContain('red')", "expect(f(1)).toContain('blue')", "'red'", "'blue'"),
        ("expect(f(1)).toContain(4)", "expect(f(1)).toContain(5)", "4", "5"),
        ("expect.soft(f(1)).toBe(2)", "expect.soft(f(1)).toBe(3)", "2", "3"),
        ("expect(f(n)).toContain(`${n} red`)", "expect(f(n)).toContain(`${n} blue`)", "`${n} red`", "`${n} blue`"),
        ("expect(f(`${ {a: `}`, b: /*`*/ 1}.a }`)).toBe(2)", "expect(f(`${ {a: `}`, b: /*`*/ 1}.a }`)).toBe(3)", "2", "3"),
        ("expect(f(1)).toMatch(/a\\d/)", "expect(f(1)).toMatch(/b\\d/)", "/a\\d/", "/b\\d/"),
        ("expect(() => f(1)).toThrow('too big')", "expect(() => f(1)).toThrow('no number')", "'too big'", "'no number'"),
        ("expect(() => f(1)).toThrow(new Error('big'))", "expect(() => f(1)).toThrow(new Error('b'))", "new Error('big')", "new Error('b')"),
        ("expect(spy).toHaveBeenCalledWith('a', 1)", "expect(spy).toHaveBeenCalledWith('a', 2)", "1", "2"),
        ("expect(spy).toHaveBeenCalledTimes(1)", "expect(spy).toHaveBeenCalledTimes(2)", "1", "2"),
        ("expect(f(1)).toMatchInlineSnapshot(`\"a\"`)", "expect(f(1)).toMatchInlineSnapshot(`\n\"b\"\n`)", '`"a"`', '`\n"b"\n`'),
        ("expect(f(1)).to.equal(2)", "expect(f(1)).to.equal(3)", "2", "3"),
        ("expect(f(1)).to.deep.equal({ a: 1 })", "expect(f(1)).to.deep.equal({ a: 2 })", "{a: 1}", "{a: 2}"),
        ("expect(f(1)).to.be.true;", "expect(f(1)).to.be.false;", "true", "false"),
        ("expect(f(1)).to.have.property('a').that.equals(2)", "expect(f(1)).to.have.property('a').that.equals(3)", "2", "3"),
        ("expect(() => f(1)).to.throw(TypeError, /big/)", "expect(() => f(1)).to.throw(TypeError, /small/)", "/big/", "/small/"),
        ("f(1).should.equal(2)", "f(1).should.equal(3)", "2", "3"),
        ("assert.equal(f(1), 2)", "assert.equal(f(1), 3)", "2", "3"),
        ("assert.strictEqual(2, f(1), 'is 2')", "assert.strictEqual(3, f(1), 'is 3')", "2", "3"),
        ("t.assert.deepStrictEqual(f(1), [1])", "t.assert.deepStrictEqual(f(1), [2])", "[1]", "[2]"),
        ("t.is(f(1), 2)", "t.is(f(1), 3)", "2", "3"),
        ("deepEqual(f(1), [1])", "deepEqual(f(1), [2])", "[1]", "[2]"),
        ("assert(f(1) === 2)", "assert(f(1) === 3)", "2", "3"),
        ("assert.ok(f(1) === 2, 'two')", "assert.ok(f(1) === 3, 'two')", "2", "3"),
        ("assert.match(f(1), /ab+/)", "assert.match(f(1), /cd+/)", "/ab+/", "/cd+/"),
        ("assert.throws(() => f(1), /too big/)", "assert.throws(() => f(1), /no number/)", "/too big/", "/no number/"),
        ("assert.throws(() => f(1), { message: 'a' })", "assert.throws(() => f(1), { message: 'b' })", "{message: 'a'}", "{message: 'b'}"),
        ("const want = [1];\n expect(f(1)).toEqual(want)", "const want = [2];\n expect(f(1)).toEqual(want)", "[1]", "[2]"),
        ("const want = [1]\n expect(f(1)).toEqual(want)", "const want = [2]\n expect(f(1)).toEqual(want)", "[1]", "[2]"),
        ("expect(f(1)).toBe(2) // two", "/* three */ expect(f(1)).toBe(3)", "2", "3"),
        ("expect(f(/[/]'/)).toBe(6 / 2)", "expect(f(/[/]'/)).toBe(6 / 3)", "6/2", "6/3"),
    ],
)  # fmt: skip
def test_values_that_may_change(base: str, patched: str, before: str, now: str):
    assert values(base, patched) == [(before, now)]


@pytest.mark.parametrize(
    ("base", "patched"),
    [
        # another matcher
        ("expect(f(1)).toBe(2)", "expect(f(1)).not.toBe(3)"),
        ("expect(f(1)).not.toBe(2)", "expect(f(1)).not.toBe(3)"),
        ("expect(f(1)).toEqual(2)", "expect(f(1)).toBeTruthy()"),
        ("expect(f(1)).toEqual(2)", "expect(f(1)).toBeDefined()"),
        ("expect(f(1)).toStrictEqual({ a: 1 })", "expect(f(1)).toEqual({ a: 2 })"),
        ("expect(f(1)).toEqual({ a: 1 })", "expect(f(1)).toMatchObject({ a: 2 })"),
        ("expect(f(1)).toBeNull()", "expect(f(1)).toBe(null)"),
        ("expect(f(1)).toBeGreaterThan(2)", "expect(f(1)).toBeGreaterThan(1)"),
        ("expect(f(1)).toBe('red')", "expect(f(1)).toContain('r')"),
        ("expect(f(1)).toBeCloseTo(1.5, 3)", "expect(f(1)).toBeCloseTo(1.6, 0)"),
        ("assert.strictEqual(f(1), 2)", "assert.equal(f(1), 3)"),
        ("assert.strictEqual(f(1), 2)", "assert.notStrictEqual(f(1), 3)"),
        ("assert.strictEqual(f(1), 2)", "assert.ok(f(1), 3)"),
        ("assert(f(1) === 2)", "assert(f(1) == 3)"),
        ("assert(f(1) === 2)", "assert(f(1) === 3 || true)"),
        ("expect(f(1)).to.be.true;", "expect(f(1)).to.be.ok;"),
        ("expect(f(1)).to.not.equal(2)", "expect(f(1)).to.not.equal(3)"),
        # another subject or input
        ("expect(f(1)).toBe(2)", "expect(f(2)).toBe(3)"),
        ("expect(f(1)).toBe(2)", "expect(3).toBe(3)"),
        ("expect(1).toBe(1)", "expect(2).toBe(2)"),
        ("expect(2).toBe(1)", "expect(2).toBe(2)"),
        ("assert.equal(2, 1)", "assert.equal(2, 2)"),
        ("assert.equal(f(1), g(1))", "assert.equal(f(1), g(2))"),
        ("const x = 1;\n expect(f(x)).toBe(2)", "const x = 5;\n expect(f(x)).toBe(2)"),
        ("const x = 1;\n expect(f(x)).toBe(x)", "const x = 5;\n expect(f(x)).toBe(x)"),
        ("const x = 1;\n expect(f(`${x}`)).toBe(x)", "const x = 5;\n expect(f(`${x}`)).toBe(x)"),
        ("let x = 1;\n x = 2;\n expect(f(1)).toBe(x)", "let x = 3;\n x = 2;\n expect(f(1)).toBe(x)"),
        # something that is equal to more
        ("expect(f(1)).toEqual({ a: 1 })", "expect(f(1)).toEqual({ a: expect.anything() })"),
        ("expect(f(1)).toEqual(2)", "expect(f(1)).toEqual(expect.any(Number))"),
        ("expect(f(1)).toEqual(2)", "expect(f(1)).toEqual(f(1))"),
        ("expect(f(1)).toEqual(2)", "expect(f(1)).toEqual(WANTED)"),
        ("expect(f(1)).toEqual([2])", "expect(f(1)).toEqual([...f(1)])"),
        ("expect(f(1)).toEqual({ a: 1 })", "expect(f(1)).toEqual({ a })"),
        ("expect(f(1)).toEqual({ a: 1 })", "expect(f(1)).toEqual({ get a() { return 2 } })"),
        ("expect(f(1)).toEqual(2)", "expect(f(1)).toEqual(3 && g(1))"),
        ("expect(f(1)).toEqual(2)", "expect(f(1)).toEqual(3 - `${g(1)}`)"),
        ("expect(f(1)).toEqual(2)", "expect(f(1)).toEqual(3 instanceof g)"),
        ("expect(f(1)).toEqual([2])", "expect(f(1)).toEqual([3; 4])"),
        ("expect(f(1)).toEqual({ a: 2 })", "expect(f(1)).toEqual({ a: 3; 4 })"),
        ("expect(f(1)).toEqual(2)", "expect(f(1)).toEqual(-)"),
        ("const w = 1 in x;\n expect(f(1)).toBe(w)", "const w = 2 in x;\n expect(f(1)).toBe(w)"),
        ("expect(f(1)).toEqual(2)", "expect(f(1)).toEqual(new Date(3))"),
        ("expect(f(1)).toEqual(2)", "expect(f(1)).toEqual(3, process.exit(0))"),
        ("expect(f(1)).toBe(`a`)", "expect(f(1)).toBe(`${f(1)}`)"),
        ("const w = 1;\n expect(f(1)).toBe(w)", "const w = f(1);\n expect(f(1)).toBe(w)"),
        ("expect(f(1)).toMatchObject({ a: 1, b: 2 })", "expect(f(1)).toMatchObject({ a: 3 })"),
        ("expect(f(1)).toMatchInlineSnapshot(`1`)", "expect(f(1)).toMatchInlineSnapshot()"),
        # looked for in something longer
        ("expect(f(1)).toContain('red car')", "expect(f(1)).toContain('red')"),
        ("expect(f(1)).toContain('red car')", "expect(f(1)).toContain('')"),
        ("expect(f(1)).toContain('red')", "expect(f(1)).toContain(4)"),
        ("expect(f(1)).toContain(/red/)", "expect(f(1)).toContain([/blue/])"),
        ("expect(f(1)).toMatch(/too big/)", "expect(f(1)).toMatch(/.*/)"),
        ("expect(f(1)).toMatch(/too big/)", "expect(f(1)).toMatch(/big/)"),
        ("expect(f(1)).toMatch(/too big/)", "expect(f(1)).toMatch(/too small/i)"),
        ("expect(f(1)).toMatch('too big')", "expect(f(1)).toMatch(/too small/)"),
        ("expect(() => f(1)).toThrow('too big')", "expect(() => f(1)).toThrow()"),
        ("expect(() => f(1)).toThrow('too big')", "expect(() => f(1)).toThrow('t')"),
        ("expect(() => f(1)).toThrow(TypeError)", "expect(() => f(1)).toThrow(Error)"),
        ("assert.throws(() => f(1), { message: 'a', code: 1 })", "assert.throws(() => f(1), { message: 'b' })"),
        # fewer or other assertions, another set-up
        ("expect(f(1)).toBe(2); expect(g(1)).toBe(3);", "expect(f(1)).toBe(4);"),
        ("expect(f(1)).toBe(2)", "return; expect(f(1)).toBe(3)"),
        ("expect(f(1)).toBe(2)", "if (x) expect(f(1)).toBe(3)"),
        ("return expect(f(1)).resolves.toBe(2)", "return\n expect(f(1)).resolves.toBe(3)"),
        ("await expect(f(1)).resolves.toBe(2)", "expect(f(1)).resolves.toBe(3)"),
        ("expect(f(1)).toBe(2)", "try { expect(f(1)).toBe(3) } catch {}"),
        ("expect(f(1)).toBe(2)", "// \u2028 f = () => 3;\n expect(f(1)).toBe(3)"),
        ("shop.add(1); expect(f(1)).toBe(2)", "expect(f(1)).toBe(3)"),
    ],
)  # fmt: skip
def test_what_weakens_a_test_is_only_tampering(base: str, patched: str):
    edits = in_test(base, patched)
    assert edits
    assert all(expected is None for _, expected in edits), edits


def test_a_skip_beside_a_new_value():
    base = FILE.format("expect(f(1)).toBe(2)")
    patched = base.replace("it('adds'", "it.skip('adds'").replace("toBe(2)\n", "toBe(3)\n")
    assert found(base, patched) == [(SKIPPED, None)]


def test_a_new_value_and_another_test_that_is_weakened():
    base = FILE.format("expect(f(1)).toBe(5)")
    patched = base.replace("toBe(5)", "toBe(6)").replace("toBe(2)", "toBeTruthy()")
    assert [(reason, bool(e)) for reason, e in found(base, patched)] == [
        ("changes what shop > adds expects: 5 -> 6", True),
        (CHANGED, False),
    ]


def test_a_new_value_and_new_tests():
    base = FILE.format("expect(f(1)).toBe(5)")
    new = "it('adds more', () => {\n expect(f(2)).toBe(7);\n });\n\n  it('subtracts'"
    patched = base.replace("toBe(5)", "toBe(6)").replace("it('subtracts'", new)
    assert [reason for reason, _ in found(base, patched)] == [
        "changes what shop > adds expects: 5 -> 6"
    ]


def test_two_tests_of_one_name_are_told_apart_by_their_order():
    test = "test('a', () => {{ assert.equal(f({0}), {0}); }});\n"
    base = test.format(1) + test.format(2)
    [(reason, _)] = found(base, base.replace("f(2), 2", "f(2), 3"), "a.test.js")
    assert reason == "changes what a expects: 2 -> 3"
    twice = test.format(1).replace(", 1", ", 4") + base
    assert found(base, twice.replace("f(2), 2", "f(2), 3"), "a.test.js") == [(CHANGED, None)]


def test_a_subtest_of_node():
    base = "test('a', async (t) => {\n  await t.test('b', () => {\n  equal(f(1), 2);\n});\n});\n"
    [(_, expected)] = found(base, base.replace("2", "3"), "a.test.js")
    assert expected is not None
    assert (expected.test, expected.before, expected.now) == ("a > b", "2", "3")


EACH = """
test.each([[1, 2], [2, 4]])('doubles %i', (given, expected) => {
  expect(double(given)).toBe(expected);
});
"""


def test_the_expected_column_of_a_table():
    [(reason, expected)] = found(EACH, EACH.replace("[2, 4]", "[2, 5]"))
    assert reason == "changes what doubles %i expects: 4 -> 5"
    assert expected is not None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[2, 4]", "[3, 4]"),
        (", [2, 4]", ""),
        ("[2, 4]", "[2, expect.anything()]"),
        ("double(given)", "given"),
    ],
)
def test_other_changes_of_a_table(old: str, new: str):
    assert found(EACH, EACH.replace(old, new)) == [(CHANGED, None)]


@pytest.mark.parametrize(
    "text",
    [
        "it('a', () => { expect(f(1)).toBe(2); });\nconst x = '\n",
        "it('a', () => { expect(f(1)).toBe(2); });\nconst x = `${`\n",
        "it('a', () => { expect(f(1)).toBe(2); });\n/* \n",
        "it('a', () => { expect(f(1)).toBe(" + "[" * 4_000 + "2); });\n",
        "it('a', () => { expect(f(1)).toBe(" + "[" * 2_000 + "2" + "]" * 2_000 + "); });\n",
        "it('a', () => {" * 100 + " expect(f(1)).toBe(2);" + "});" * 100 + "\n",
        "it('a', () => { expect(f(1)).toBe(2);" + "x;" * 5_000 + " });\n",
        "it('a', () => { expect(f(1)).toEqual([2" + ", 1" * 10_000 + "]); });\n",
        "it('a', () => { expect(f(1)).to.be(2; });\n",
        "it(name, () => { expect(f(1)).toBe(2); });\n",
        "x.it('a', () => { expect(f(1)).toBe(2); });\n",
        "test.each([[1, 2]]);\n",
        "//" + " " * 500_000 + "\nit('a', () => { expect(f(1)).toBe(2); });\n",
        "x = / +\nit('a', () => { expect(f(1)).toBe(2); });\n",
    ],
)
def test_what_cannot_be_read_stays_an_edit(text: str):
    edits = found(text, text.replace("2", "3"))
    assert edits == [(CHANGED, None)]


@pytest.mark.parametrize(
    "piece", ["=/[", "`${", "const a = x ", "expect(a).toBe(", "it('a', ", "{"]
)
def test_hostile_files_end_soon(piece: str):
    text = piece * 20_000
    assert found(f"{text} 2", f"{text} 3") == [(CHANGED, None)]


def about_file(base: str, patched: str) -> list[tuple[str, str, str]]:
    edits = found(base, patched)
    assert all(expected for _, expected in edits), edits
    return [(e.test, e.before, e.now) for _, e in edits if e]


LOOP = "for (const [a, b] of [[5, '5s'], [6, '6s']]) {\n  test(`f ${a}`, () => assert.equal(f(a), b));\n}\n"
FOR_EACH = "[[5, '5s'], [6, '6s']].forEach(([a, b]) => {\n  test(`f ${a}`, () => { assert.equal(f(a), b); });\n});\n"
CONST = "const WANT = '5s';\ntest('a', () => { assert.equal(f(5), WANT); });\n"
MAP = "const CASES = { a: '5s', b: '6s' };\ntest('a', () => { check(CASES); });\n"


@pytest.mark.parametrize("base", [LOOP, FOR_EACH, CONST, MAP])
def test_other_values_beside_the_tests(base: str):
    patched = base.replace("'5s'", "'5 s'")
    assert about_file(base, patched) == [("", "'5s'", "'5 s'")]
    more = patched + "test('more', () => { assert.equal(f(7), 7); });\n"
    assert about_file(base, more) == [("", "'5s'", "'5 s'")]


@pytest.mark.parametrize(
    ("base", "old", "new"),
    [
        (LOOP, "[5, '5s']", "[4, '4s']"),
        (LOOP, ", [6, '6s']", ""),
        (LOOP, "'5s'", "f(5)"),
        (FOR_EACH, "[5, '5s']", "[5, '5s', 1]"),
        (FOR_EACH, "'6s']]", "'6s']].slice(1)"),
        (MAP, "b: '6s'", "c: '7s'"),
        (CONST, "'5s'", "f(5)"),
        (CONST.replace("f(5)", "f(WANT)"), "'5s'", "'5 s'"),
    ],
)
def test_other_inputs_and_fewer_rows_beside_the_tests(base: str, old: str, new: str):
    assert [expected for _, expected in found(base, base.replace(old, new))] == [None]
