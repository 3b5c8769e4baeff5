import pytest

from yudai.patches.test_paths import is_test_config, is_test_path


@pytest.mark.parametrize(
    "path",
    [
        "tests/test_a.py",
        "tests/data/expected.json",
        "pkg/tests/helpers.py",
        "test/anything.py",
        "test_a.py",
        "pkg/a_test.py",
        "app/tests.py",
        "conftest.py",
        "pkg/conftest.py",
        "web/__tests__/a.js",
        "web/a.test.tsx",
        "web/a.spec.mjs",
        "spec/a_helper.rb",
        "src/test/resources/a.xml",
        "pkg/a_test.go",
        "src/main/FooTest.java",
        "pytest.ini",
        ".coveragerc",
        "noxfile.py",
        "__mocks__/fs.js",
        "jest.config.ts",
        "web/vitest.config.mts",
        "vitest.workspace.ts",
        "jest.setup.js",
        "jest-setup.ts",
        "vitest.global-setup.ts",
        "src/setupTests.js",
        ".mocharc.json",
        ".mocharc",
        ".yudai.yml",
    ],
)
def test_what_is_a_test_file(path: str):
    assert is_test_path(path)


@pytest.mark.parametrize(
    "path",
    [
        "src/pkg/a.py",
        "pkg/testing.py",
        "pkg/latest.py",
        "django/test/client.py",
        "numpy/testing/utils.py",
        "contest.py",
        "pyproject.toml",
        "setup.cfg",
        "tox.ini",
        "spec/openapi.yaml",
        "docs/testing.md",
        "test",
        "attestation.js",
        "package.json",
        "vite.config.ts",
        "Makefile",
        "setup.js",
        "jest.js",
    ],
)
def test_what_is_not(path: str):
    assert not is_test_path(path)


@pytest.mark.parametrize(
    "path",
    [
        "pyproject.toml",
        "a/setup.cfg",
        "tox.ini",
        "pytest.ini",
        "web/package.json",
        "vite.config.ts",
        "Makefile",
        ".npmrc",
        "jest.config.js",
        ".yudai.yml",
    ],
)
def test_what_decides_how_tests_run(path: str):
    assert is_test_config(path)


@pytest.mark.parametrize("path", ["setup.py", "src/config.py", "noxfile.py"])
def test_what_does_not_decide_it(path: str):
    assert not is_test_config(path)
