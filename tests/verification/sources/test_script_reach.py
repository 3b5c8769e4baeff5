"""What tests of scripts reach of a patch in roundabout ways, for jest, vitest, mocha and node."""

import pytest

from yudai.verification.domain.sources.scripts.frameworks import changed_frameworks
from yudai.verification.domain.symbols import Symbol, introduced, named_by, used
from yudai.verification.domain.test_subjects import subjects

BASE = """
export class Clock {}
export const UNITS = { s: 1 };
export let unit = 's';
export function human(seconds) {
  return `${seconds}s`;
}
"""
COMMON = """
class Clock {}
const human = (seconds) => `${seconds}s`;
module.exports = { human, Clock };
"""
PATH = "tests/human.test.ts"
HEAD = """import { describe, expect, it, vi } from 'vitest';
import * as durations from '../src/durations';
import { human, Clock, UNITS, unit } from '../src/durations';
"""


def new(patched: str, base: str = BASE) -> tuple[Symbol, ...]:
    path = "src/durations.js"
    return introduced({path: base}, {path: patched})


def names(symbols: tuple[Symbol, ...]) -> set[str]:
    return {symbol.name for symbol in symbols}


def written(body: str, head: str) -> str:
    return (
        f"{head}\ndescribe('human', () => {{\n  it('hours', async () => {{\n{body}\n  }});\n}});\n"
    )


def uses(body: str, symbols: tuple[Symbol, ...], head: str = HEAD, **files: str) -> set[str]:
    texts = {f"tests/{name}.ts": text for name, text in files.items()}
    test = f"{PATH}::human > hours"
    text = written(body, head)
    return names(used(symbols, path=PATH, text=text, test=test, files=texts))


class TestWhatIsAdded:
    @pytest.mark.parametrize(
        ("more", "name"),
        [
            ("Object.assign(human, { hours: true });", "hours"),
            ("Object.defineProperty(human, 'hours', { get: () => 1 });", "hours"),
            ("Object.defineProperties(human, { hours: { value: 1 } });", "hours"),
            ("human.__defineGetter__('hours', () => 1);", "hours"),
            ("if (true) { human.hours = 1; }", "hours"),
            ("human['hours'] = 1;", "hours"),
            ("Clock.prototype[Symbol.for('hours')] = 1;", "hours"),
            ("Clock.prototype[Symbol.iterator] = function* () {};", "iterator"),
            ("function ask() { return process.env['hours']; }", "hours"),
            ("const { hours } = process.env;", "hours"),
            ("function ask() { return globalThis.hours; }", "hours"),
            ("const read = parseArgs({ options: { hours: { type: 'boolean' } } });", "--hours"),
            ("function ask(argv) { return argv.hours; }", "hours"),
        ],
    )
    def test_by_name(self, more: str, name: str):
        assert name in names(new(f"{BASE}\n{more}\n"))

    @pytest.mark.parametrize(
        ("old", "patched"),
        [
            ("module.exports = { human };", "module.exports = Object.freeze({ human, hours: 1 });"),
            ("export default { human };", "export default { human, hours: () => 1 };"),
            ("export default wrap({ human });", "export default wrap({ human, hours: 1 });"),
        ],
    )
    def test_by_what_is_exported_without_a_name(self, old: str, patched: str):
        assert names(new(patched, old)) == {"hours"}

    def test_an_export_is_one_thing_and_stays_in_the_kept_tree(self):
        [symbol] = new(f"{COMMON}\nmodule.exports.hours = () => 1;\n", COMMON)
        assert (symbol.name, symbol.top_level) == ("hours", True)

    @pytest.mark.parametrize(
        ("old", "patched", "numbers"),
        [
            ("function human(a) {}", "function human(a, b) {}", {"argument 2"}),
            (
                "const human = a => a;",
                "const human = (a, b, c) => a;",
                {"argument 2", "argument 3"},
            ),
            ("exports.human = (a) => a;", "exports.human = async (a, b) => a;", {"argument 2"}),
            ("class A { human() {} }", "class A { human(a) {} }", {"argument 1"}),
            (
                "function human(a) { f(a); }",
                "function human(a) { f(arguments[1]); }",
                {"argument 2"},
            ),
            ("function human(...all) {}", "function human(a, b) {}", set[str]()),
            ("function human(a) {}", "const human = (a) => a;", set[str]()),
            ("const human = wrap(f);", "function human(a, b) {}", set[str]()),
            ("let other = 1;", "let other = 1;\nfunction human(a, b) {}", {"human"}),
        ],
    )
    def test_by_place(self, old: str, patched: str, numbers: set[str]):
        assert names(new(patched, old)) == numbers

    @pytest.mark.parametrize(
        ("issue", "is_named"),
        [
            ("`human(3600, 'h')` should say 1h", True),
            ("```\nhuman([1, 2], f(1, 2))\n```", True),
            ("`human(3600)` should say 1h", False),
            ("`human([1, 2])` and `superhuman(1, 2)`", False),
        ],
    )
    def test_an_argument_that_the_issue_gives(self, issue: str, is_named: bool):  # noqa: FBT001 - a parameter
        [symbol] = new("function human(a, b) {}", "function human(a) {}")
        assert named_by(issue, symbol) is is_named


class TestWhatIsReached:
    SYMBOLS = new(f"{BASE}\nhuman.hours = 1;\n")

    @pytest.mark.parametrize(
        "body",
        [
            "expect(Object.keys(durations)).toHaveLength(5);",
            "expect(Object.entries(durations.human)).toEqual([]);",
            "expect(JSON.stringify(human)).toBe('{}');",
            "for (const name in human) expect(name).toBe('x');",
            "const all = { ...durations };\nexpect(all[made()]).toBe(1);",
            "const { Clock, ...rest } = durations;\nexpect(rest[made()]).toBe(1);",
            "expect(durations.human[made()]).toBe(1);",
            "expect(human?.[made()]).toBe(1);",
            "const also = human;\nexpect(also[made()]).toBe(1);",
            "const clock = new Clock();\nexpect(clock[made()]).toBe(1);",
            "expect(human['ho' + 'urs']).toBe(1);",
            "expect(has(human, ['ho', 'urs'].join(''))).toBe(true);",
            "const take = (all, name) => all[name];\nexpect(take(durations, made())).toBe(1);",
            "expect(eval('human.ho' + 'urs')).toBe(1);",
            "const lazy = await import(`../src/${made()}`);",
            "const lazy = require(made());",
            "expect(Reflect.ownKeys(human)).toEqual([]);",
        ],
    )
    def test_any_name(self, body: str):
        assert uses(body, self.SYMBOLS) == {"hours"}

    def test_helper_files_that_are_loaded_late(self):
        body = "expect(require('./late').known()).toBe(1);"
        late = "export const known = () => import('./later');"
        assert uses(body, self.SYMBOLS, late=late, later="export default x.hours;") == {"hours"}

    @pytest.mark.parametrize(
        "body",
        [
            "expect(human(3600, true)).toBe('1h');",
            "expect(durations.human(3600, true)).toBe('1h');",
            "expect(human(...[3600, true])).toBe('1h');",
            "expect(human.apply(null, [3600, true])).toBe('1h');",
            "expect(human.call(null, 3600, true)).toBe('1h');",
            "expect(human.length).toBe(2);",
            "const also = durations.human;\nexpect(also(3600, true)).toBe('1h');",
            "const { human: also } = durations;\nexpect(also(3600, true)).toBe('1h');",
        ],
    )
    def test_an_argument_more(self, body: str):
        symbols = new(BASE.replace("(seconds)", "(seconds, hours)"))
        assert uses(body, symbols) == {"argument 2"}

    def test_an_argument_whose_keys_are_known(self):
        symbols = new(BASE.replace("(seconds)", "(seconds, { hours } = {})"))
        assert uses("expect(human(3600, { hours: true })).toBe('1h');", symbols) == {"hours"}


class TestHonestTests:
    """A right answer that has a helper and an argument of its own, which its tests do not use."""

    PATCHED = (
        BASE.replace("(seconds)", "(seconds, depth = 0)") + "\nfunction whole(n) { return n; }\n"
        "human.cache = new Map();\n"
    )

    @pytest.mark.parametrize(
        "body",
        [
            "expect(human(3600)).toBe('1h');",
            "expect([human(3600), human(7200)]).toEqual(['1h', '2h']);",
            'expect(human(3600)).toMatchInlineSnapshot(`"1h"`);',
            "expect(human(3600)).toMatchSnapshot();",
            "for (const [given, wanted] of [[3600, '1h']]) expect(human(given)).toBe(wanted);",
            "const rows = [3600].map((s) => human(s));\nexpect(rows[0]).toBe('1h');",
            "expect(Object.keys(human(3600))).toEqual(['0', '1']);",
            "expect(UNITS['s']).toBe(1);\nexpect(human(3600)).toBe('1h');",
            "const spy = vi.spyOn(durations, 'human');\nexpect(human(3600)).toBe('1h');",
            "const clock = new Clock();\nexpect(`${clock}`).toBe('1h');",
            "expect(human(3600)).toBe(`1${unit}`);",
            "const m = await import('../src/durations');\nexpect(m.human(3600)).toBe('1h');",
            "const path = require('node:path');\n"
            "const m = require(path.join(__dirname, '..', 'src', 'durations'));\n"
            "expect(m.human(3600)).toBe('1h');",
            "const start = new Date(2026, 1, 1);\nexpect(human(start - 5)).toBe('1h');",
            "expect(human((Date.now() - 3600e3) % 7)).toBe('1h');",
            "const notes: Note[] = [{ message: 'known hours' }];\n"
            "expect(notes[0].message).toBe(human(3600));",
            "try { human(-1); } catch (error) { expect(error).toBeInstanceOf(RangeError); }",
            "try { human(-1); } catch (error) { expect(error.code).toBe('ENEGATIVE'); }",
            "const seen: string[] = [];\nconsole.log = (line) => seen.push(line);\n"
            "expect(seen).toEqual(['1h']);",
        ],
    )
    def test_show_behaviour(self, body: str):
        symbols = new(self.PATCHED)
        assert uses(body, symbols) == set()
        text, path = written(body, HEAD), "src/durations.js"
        found = subjects(
            PATH,
            text,
            f"{PATH}::human > hours",
            issue="human() does not know hours",
            source_paths=[path],
            sources={path: self.PATCHED},
        )
        assert found == ()

    def test_tables(self):
        text = (
            HEAD + "describe('human', () => {\n  it.each([[3600, '1h'], [7200, '2h']])('%i', "
            "(given, wanted) => {\n    expect(human(given)).toBe(wanted);\n  });\n});\n"
        )
        test = f"{PATH}::human > 3600"
        assert used(new(self.PATCHED), path=PATH, text=text, test=test, files={}) == ()


class TestSubjects:
    @pytest.mark.parametrize(
        ("body", "subject"),
        [
            ("expect(String(human)).toContain('36');", "source text"),
            ("expect(`${human}`).toContain('36');", "source text"),
            ("expect(human + '').toContain('36');", "source text"),
            ("expect(durations.human.toString()).toContain('36');", "source text"),
            ("expect(Function.prototype.toString.call(human)).toContain('36');", "source text"),
            ("fs.statSync(require.resolve('../src/durations')).size;", "source text"),
            ("execFileSync('bash', ['-c', 'cd src; grep -q 36 a.js']);", "source text"),
            ("expect(read('README.md')).toContain('hours');", "a document"),
            ("expect(fs['readFileSync']('README.md')).toContain('hours');", "a document"),
            ("expect(require('../units')).toContain('h');", "a data file"),
            ("expect(createRequire(url)('../units.json')).toContain('h');", ""),
            ("expect(load('../units.json')).toContain('h');", "a data file"),
            ("const t = new Date();\nhuman();\nassert(new Date() - t < 50);", "timing"),
            (
                "const t = Date.now();\nhuman();\nconst d = Date.now() - t < 50;\nassert.ok(d);",
                "timing",
            ),
            (
                "const t = performance.now();\nhuman();\n"
                "assert.equal(Math.floor((performance.now() - t) / 50), 0);",
                "timing",
            ),
            ("const t = process.uptime();\nassert(process.uptime() - t < 1);", "timing"),
            ("const { _scale: scale } = durations;\nexpect(scale(1)).toBe(1);", "a private name"),
            ("try { human() } catch (it) { expect(it.message).toBe('bad text'); }", "wording"),
            (
                "try { human() } catch ({ message }) { expect(message).toBe('bad text'); }",
                "wording",
            ),
            ("human().catch((why) => expect(why.message).toBe('bad text'));", "wording"),
            ("try { human() } catch (it) { expect(String(it)).toBe('bad text'); }", "wording"),
            ("try { human() } catch (it) { expect(`${it}`).toBe('bad text'); }", "wording"),
            (
                "const said = (f) => { try { f() } catch (e) { return e.message } };\n"
                "expect(said(human)).toBe('bad text');",
                "wording",
            ),
            ("const want = { message: 'bad text' };\nassert.throws(human, want);", "wording"),
            ("const want = /bad text/;\nexpect(human).toThrow(want);", "wording"),
            (
                "const said = [];\nconsole.warn = (text) => said.push(text);\n"
                "expect(said).toEqual(['bad text']);",
                "wording",
            ),
        ],
    )
    def test_subjects(self, body: str, subject: str):
        head = (
            "import { readFileSync as read } from 'node:fs';\n"
            "const load = createRequire(import.meta.url);\n"
        )
        path = "src/durations.js"
        found = subjects(
            PATH,
            written(body, HEAD + head),
            f"{PATH}::human > hours",
            issue="human() does not know hours",
            source_paths=[path, "units.json"],
            sources={path: BASE},
        )
        assert ", ".join(found) == subject


class TestFrameworks:
    @pytest.mark.parametrize(
        "text",
        [
            "require('node:assert').equal = () => {};",
            "const a = require('assert');\na.strict['equal'] = () => {};",
            "import assert from 'node:assert';\nObject.assign(assert, { equal() {} });",
            "import { it } from 'vitest';\nit.each = () => {};",
            "globalThis.expect = () => {};",
            "const Module = require('node:module');\nModule._load = () => {};",
        ],
    )
    def test_are_changed(self, text: str):
        assert list(changed_frameworks({"a.js": ""}, {"a.js": text})) == ["a.js"]
        assert list(changed_frameworks({"a.js": text}, {"a.js": f"{text}\nlet more = 1;"})) == []

    @pytest.mark.parametrize(
        "text",
        [
            "const assert = require('assert');\nassert.equal(1, 1);\nconst ok = assert.ok;",
            "import { createRequire } from 'node:module';\nconst load = createRequire(url);",
            "const it = {};\nit.each = 1;",
            "globalThis.cache = new Map();",
            "unreadable(",
        ],
    )
    def test_are_used(self, text: str):
        assert list(changed_frameworks({"a.js": ""}, {"a.js": text})) == []


@pytest.mark.parametrize(
    ("more", "body", "found"),
    [
        ("function store() { return { hoursKnown: true }; }", "expect(x().hoursKnown).toBe(1);",
         {"hoursKnown"}),
        ("const store = () => ({ hoursKnown: true });", "expect(x().hoursKnown).toBe(1);",
         {"hoursKnown"}),
        ("export enum Kind { Hour }", "expect(durations.Kind.Hour).toBe(0);", {"Kind", "Hour"}),
        ("app.get('/ping', (q, s) => s.send(1));", "return request(x).get('/ping').expect(200);",
         {"/ping"}),
        ("function _r(n, { depth = 0 } = {}) {}", "assert.deepEqual(human(1), { depth: 1 });",
         set()),
        ("function _r(n, { depth = 0 } = {}) {}", "expect(human(1)).toEqual({ depth: 1 });", set()),
        ("function _r(n, { depth = 0 } = {}) {}", "expect(human(1, { depth: 1 })).toBe(1);",
         {"depth"}),
    ],
)  # fmt: skip
def test_results_enums_and_routes_are_new_names_and_expected_keys_are_not(
    more: str, body: str, found: set[str]
):
    assert uses(body, new(BASE + more)) == found
