# Everything a person types. Each target sets up what it needs; only Python 3.11+, git and make are assumed.
UV_VERSION := 0.13.7
PYTHON ?= python3
UV := $(shell command -v uv 2>/dev/null || echo .tools/bin/uv)
RUN := .venv/bin/

.PHONY: setup demo test check fix dev gen bench clean

setup: .venv/.ready  ## install everything into .venv

demo: setup  ## one command, a real arena, no key
	@$(RUN)yudai demo

test: check  ## all checks, then every test
	$(RUN)pytest

check: setup  ## format, lint, layers, types, sizes, dependencies
	$(RUN)ruff format --check .
	$(RUN)ruff check .
	$(RUN)lint-imports
	$(RUN)basedpyright
	$(RUN)python tests/check_sizes.py
	$(RUN)deptry src

fix: setup  ## format and mend what a tool can mend
	$(RUN)ruff check --fix .
	$(RUN)ruff format .

dev: setup  ## the fast tests, for while you work
	$(RUN)pytest tests/domain tests/services -x -q

gen: setup  ## write the generated pages again
	$(RUN)python docs/generate.py

bench: setup  ## the measurements that the issues give numbers for
	$(RUN)yudai bench overhead
	$(RUN)yudai bench sandbox
	$(RUN)yudai bench polling
	$(RUN)python tests/with_postgres.py $(RUN)yudai bench fanout --database
	$(RUN)python tests/with_postgres.py $(RUN)yudai bench recovery --database

clean:  ## remove what setup made
	rm -rf .venv .tools

.venv/.ready: pyproject.toml uv.lock $(if $(filter .tools/bin/uv,$(UV)),.tools/bin/uv)
	$(UV) sync --frozen --quiet --compile-bytecode --python "$$($(PYTHON) -c 'import sys; print(sys.executable)')"
	@touch $@

.tools/bin/uv:
	$(PYTHON) -m venv .tools
	.tools/bin/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
