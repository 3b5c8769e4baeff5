from yudai.projects.domain.makefile import Rule, read_makefile

TEXT = """
PYTHON ?= python3
ARGS := -q \\
  -x
SELF = $(SELF) x
.PHONY: test

test check: deps | env  ## run them
\t@$(PYTHON) -m pytest $(ARGS) $(OTHER) ${PYTHON}
\t-echo $$HOME

deps:
\techo deps
unrelated text
\tnot a recipe
test: more
loop:
\techo $(SELF)
"""


def test_rules():
    rules = read_makefile(TEXT)
    assert rules["check"] == Rule(
        ("deps", "env"),
        ("python3 -m pytest -q -x $(OTHER) python3", "echo $HOME"),
    )
    assert rules["test"].prerequisites == ("deps", "env", "more")
    assert rules["deps"] == Rule((), ("echo deps",))
    assert rules["loop"].recipe == ("echo $(SELF) x x x x x",)
    assert ".PHONY" not in rules


def test_nothing():
    assert read_makefile("") == {}
    assert read_makefile("X = 1\nY := a:b\n") == {}
