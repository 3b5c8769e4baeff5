"""Reads the names of test files from a repository's pytest settings."""

from collections.abc import Mapping

from yudai.projects.domain.repository_files import read_ini, read_toml, table, words

# In the order in which pytest looks for its settings.
_TABLES = {
    "pytest.toml": (("pytest",),),
    ".pytest.toml": (("pytest",),),
    "pytest.ini": (),
    ".pytest.ini": (),
    "pyproject.toml": (("tool", "pytest"), ("tool", "pytest", "ini_options")),
    "tox.ini": (),
    "setup.cfg": (),
}
SETTINGS = tuple(_TABLES)


def own_names(texts: Mapping[str, str]) -> tuple[str, ...]:
    """The patterns of `python_files`; empty if the settings have none."""
    found = (_names(name, texts[name]) for name in SETTINGS if texts.get(name))
    return next((names for names in found if names), ())


def _names(file: str, text: str) -> tuple[str, ...]:
    if file.endswith(".toml"):
        document = read_toml(text)
        tables = (table(document, *keys).get("python_files") for keys in _TABLES[file])
        return next((names for value in tables if (names := _patterns(value))), ())
    parser = read_ini(text)
    section = "tool:pytest" if file == "setup.cfg" else "pytest"
    return () if parser is None else _patterns(parser.get(section, "python_files", fallback=""))


def _patterns(value: object) -> tuple[str, ...]:
    return tuple(value.split()) if isinstance(value, str) else words(value)
