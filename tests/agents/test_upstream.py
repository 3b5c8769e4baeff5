"""mini-SWE-agent is imported without a word, without the user's files, without litellm."""

import os
import subprocess
import sys
from pathlib import Path

IMPORT = "import os, sys, yudai.agents.adapters.mini_swe.agent\n"


def _python(code: str, home: Path, **env: str) -> str:
    home.mkdir(exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-c", IMPORT + code],
        env={"PATH": os.environ["PATH"], "HOME": str(home), **env},
        cwd=home,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout


def test_the_import_prints_nothing_and_leaves_no_trace(tmp_path: Path):
    home = tmp_path / "home"
    assert _python("", home) == ""
    assert list(home.iterdir()) == []


def test_the_users_own_settings_are_not_read(tmp_path: Path):
    config = tmp_path / "home/.config/mini-swe-agent"
    config.mkdir(parents=True)
    (config / ".env").write_text("STOLEN=from-config\n")
    (tmp_path / "home/.env").write_text("STOLEN=from-here\n")
    assert _python("print(os.environ.get('STOLEN'))", tmp_path / "home") == "None\n"
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / ".env").write_text("STOLEN=from-elsewhere\n")
    code = "print(os.environ.get('STOLEN'), os.environ['MSWEA_GLOBAL_CONFIG_DIR'])"
    told = _python(code, tmp_path / "home", MSWEA_GLOBAL_CONFIG_DIR=str(elsewhere))
    assert told == f"None {elsewhere}\n"


def test_the_environment_is_as_it_was(tmp_path: Path):
    told = _python("print([n for n in os.environ if 'MSWEA' in n])", tmp_path / "home")
    assert told == "[]\n"


def test_nothing_heavy_comes_along(tmp_path: Path):
    heavy = "{'litellm', 'datasets', 'prompt_toolkit', 'openai', 'textual', 'requests'}"
    assert _python(f"print({heavy} & set(sys.modules))", tmp_path / "home") == "set()\n"


def test_upstreams_log_stays_off_standard_output(tmp_path: Path):
    code = "import logging; print(logging.getLogger('minisweagent').handlers)"
    assert _python(code, tmp_path / "home") == "[]\n"
