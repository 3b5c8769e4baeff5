"""Secrets are found where they are added, and ordinary code is left alone."""

import base64
import hashlib
import random
import string
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.forge.repositories import Repository
from yudai.patches.patch import Patch, parse_patch
from yudai.patches.secrets import Finding, find_secrets, mask

_RANDOM = random.Random(7)  # noqa: S311 - the same in every run


def letters(count: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    return "".join(_RANDOM.choice(alphabet) for _ in range(count))


UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
HEX = "0123456789abcdef"
KEY = "\n".join(letters(64, string.ascii_letters + string.digits + "+/") for _ in range(4))


def b64(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


_PARTS = (b64('{"alg":"HS256"}'), b64('{"sub":"ada","admin":true}'), letters(43))
JWT = ".".join(_PARTS)

KNOWN = [
    ("GitHub token", f"ghp_{letters(36)}"),
    ("GitHub token", f"ghs_{letters(36)}"),
    ("GitHub token", f"gho_{letters(36)}"),
    ("GitHub token", f"github_pat_{letters(22)}_{letters(59)}"),
    ("GitLab token", f"glpat-{letters(20)}"),
    ("Anthropic key", f"sk-ant-api03-{letters(93)}"),
    ("OpenRouter key", f"sk-or-v1-{letters(64, HEX)}"),
    ("OpenAI key", f"sk-proj-{letters(48)}"),
    ("OpenAI key", f"sk-{letters(48)}"),
    ("AWS access key", f"AKIA{letters(16, UPPER)}"),
    ("Google API key", f"AIza{letters(35)}"),
    ("Google client secret", f"GOCSPX-{letters(28)}"),
    ("Slack token", f"xoxb-{letters(12, string.digits)}-{letters(24)}"),
    ("Slack webhook", f"https://hooks.slack.com/services/T{letters(9, UPPER)}/{letters(24)}"),
    ("Stripe key", f"sk_live_{letters(24)}"),
    ("npm token", f"npm_{letters(36)}"),
    ("PyPI token", f"pypi-AgEIcHlwaS5vcmc{letters(70)}"),
    ("Hugging Face token", f"hf_{letters(34)}"),
    ("SendGrid key", f"SG.{letters(22)}.{letters(43)}"),
    ("JSON web token", JWT),
    ("private key", f"-----BEGIN RSA PRIVATE KEY-----\n{KEY}\n-----END RSA PRIVATE KEY-----"),
    ("private key", f"-----BEGIN PRIVATE KEY-----\\n{KEY[:64]}\\n"),
    ("private key", f"-----BEGIN OPENSSH PRIVATE KEY-----\n{KEY}"),
    ("private key", f"-----BEGIN RSA PRIVATE KEY-----\nDEK-Info: AES-128-CBC,00\n\n{KEY}"),
    ("private key", f"-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2\n\n{KEY}"),
    ("password in a URL", f"postgres://app:{letters(24)}@db.internal/app"),
]  # fmt: skip


def adding(text: str, *, path: str = "src/app.py", start: int = 1) -> Patch:
    lines = text.split("\n")
    hunk = "".join(f"+{line}\n" for line in lines)
    return parse_patch(
        f"diff --git a/{path} b/{path}\nnew file mode 100644\nindex {'0' * 40}..{'1' * 40}\n"
        f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +{start},{len(lines)} @@\n{hunk}"
    )


def kinds(text: str, *, path: str = "src/app.py") -> list[str]:
    return [finding.kind for finding in find_secrets(adding(text, path=path))]


@pytest.mark.parametrize(("kind", "secret"), KNOWN)
@pytest.mark.parametrize("path", ["src/app.py", "tests/test_app.py", "uv.lock"])
def test_a_token_of_known_form_is_found_anywhere(kind: str, secret: str, path: str):
    assert kinds(f'import os\nKEY = "{secret}"\n', path=path) == [kind]


def test_a_finding_says_where_and_shows_little():
    token = f"ghp_{letters(36)}"
    [found] = find_secrets(adding(f"one\ntwo\nthree {token}", start=10))

    assert found == Finding(
        path="src/app.py", line=12, kind="GitHub token", masked=f"ghp_…{token[-4:]}"
    )
    assert str(found) == f"src/app.py:12 GitHub token ghp_…{token[-4:]}"
    assert token not in str(found)


def test_lines_are_counted_as_in_the_new_file(tmp_path: Path):
    token = f"ghp_{letters(36)}"
    old = [f"line {n}" for n in range(1, 41)]
    new = ["new", *old[:4], *old[6:30], token, *old[30:]]
    repository = Repository.create(tmp_path / "r", {"f.py": "\n".join(old) + "\n"})
    patch = repository.patch({"f.py": "\n".join(new) + "\n"})

    [found] = find_secrets(parse_patch(patch.decode()))
    assert found.line == new.index(token) + 1


def test_only_what_is_added_counts(tmp_path: Path):
    token = f"ghp_{letters(36)}"
    files = {"gone.py": f"a = '{token}'\n", "f.py": f"b = '{token}'\nc\nd\n"}
    repository = Repository.create(tmp_path / "r", files)
    patch = repository.patch({"gone.py": None, "f.py": f"b = '{token}'\nc\ne\n"})

    assert find_secrets(parse_patch(patch.decode())) == ()


def test_binary_contents_and_names_are_looked_at():
    token = f"ghp_{letters(36)}"
    patch = adding("x", path="a.bin")

    assert [f.line for f in find_secrets(patch, {"a.bin": b"\x00\xff" + token.encode()})] == [0]
    wide = f"key={token}".encode("utf-16-le")
    assert [f.kind for f in find_secrets(patch, {"a.bin": wide})] == ["GitHub token"]
    assert [f.kind for f in find_secrets(adding("x", path=f"docs/{token}"))] == ["GitHub token"]


@pytest.mark.parametrize(
    "line",
    [
        'API_KEY = "{}"', "api_key: '{}'", '"client_secret": "{}",', 'const authToken = "{}";',
        'password := "{}"', "config['secret'] = '{}'", 'PRIVATE_KEY="{}"', 'token: str = "{}"',
    ],
)  # fmt: skip
def test_random_text_given_to_a_secret_s_name_is_found(line: str):
    value = "q8Zr2Lx9Vb4Tn7Kc3Wm6Yp1Hd5"
    assert kinds(line.format(value)) == ["random text given to a secret's name"]
    assert kinds(line.format(value), path="tests/test_app.py") == []


def test_bare_values_count_only_in_files_that_have_them_bare():
    line = "DB_PASSWORD=q8Zr2Lx9Vb4Tn7Kc3Wm6Yp1Hd5"

    for path in (".env", "deploy/prod.env", "app.ini", "values.yaml", ".env.production"):
        assert kinds(line, path=path) == ["random text given to a secret's name"], path
    assert kinds("self.token = q8Zr2Lx9Vb4Tn7Kc3Wm6Yp1Hd5", path="app.py") == []


def test_a_known_token_with_a_secret_s_name_is_one_finding():
    assert kinds(f'github_token = "ghp_{letters(36)}"') == ["GitHub token"]


ORDINARY = [
    'token = "your-api-key-goes-here-please-change"',
    'API_KEY = os.environ["OPENAI_API_KEY"]',
    "token = request.headers.get('Authorization')",
    'password = "correct horse battery staple"',
    'secret = "${{ secrets.GITHUB_TOKEN }}"',
    'api_key = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"',
    'api_key = "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"',
    'TOKEN = "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"',
    'token = "ghp_" + secrets.token_hex(18)',
    'AWS_KEY = "AKIAIOSFODNN7EXAMPLE"',
    'request_token = "550e8400-e29b-41d4-a716-446655440000"',
    'access_token_url = "https://github.com/login/oauth/access_token"',
    'secret_name = "projects/my-project-12/secrets/database-password"',
    'TOKEN_TYPE = "urn:ietf:params:oauth:token-type:access_token"',
    'token = "com.example.project.security.AccessTokenProvider2"',
    'if line.startswith("-----BEGIN RSA PRIVATE KEY-----"):',
    'PEM = re.compile(r"-----BEGIN PRIVATE KEY-----(.*?)-----END PRIVATE KEY-----")',
    'url = "postgres://postgres:postgres@localhost:5432/test"',
    'url = "postgresql://user:password1234@127.0.0.1/db"',
    'url = "https://user:pass@example.com/"',
    f'integrity = "sha512-{base64.b64encode(hashlib.sha512(b"x").digest()).decode()}"',
    f'hash = "sha256:{hashlib.sha256(b"x").hexdigest()}"',
    f'commit = "{hashlib.sha256(b"x").hexdigest()[:40]}"',
    '"uuid": "1b4e28ba-2fa1-11d2-883f-0016d3cca427"',
    f'src="data:image/png;base64,{base64.b64encode(_RANDOM.randbytes(3000)).decode()}"',
    "class TokenBucketRateLimiterConfigurationV2(BaseModel):",
    "tokenizer = AutoTokenizer.from_pretrained('bert-base-uncased-whole-word-masking-v2')",
    'jwt = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9l'
    'IiwiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c"',
    "risk-assessment-and-mitigation-strategies-for-task-scheduling",
    '<div class="sk-circle-fade sk-circle-fade-dot sk-cube-grid-animation">',
    'key = "stripe_test: sk_test_4eC39HqLyjWDarjtT1zdp7dc"',
]


@pytest.mark.parametrize("line", ORDINARY)
@pytest.mark.parametrize("path", ["src/app.py", "config.yaml", "README.md"])
def test_ordinary_lines_are_left_alone(line: str, path: str):
    assert find_secrets(adding(line, path=path)) == ()


@pytest.mark.parametrize("name", ["uv.lock", "package-lock.json", "go.sum", "requirements.txt"])
def test_hashes_of_lock_files_are_left_alone(name: str):
    line = f'token = "{base64.b64encode(bytes(range(7, 200, 5))).decode()}"'

    assert kinds(line, path=name) == []
    assert kinds(line, path="app.py") != []


def test_these_sources_hold_no_secrets():
    sources = list((Path(__file__).parents[2] / "src" / "yudai" / "sandboxes").rglob("*.py"))
    assert len(sources) > 50

    for file in sources:
        assert find_secrets(adding(file.read_text(), path=file.name)) == ()


@pytest.mark.parametrize(
    "hostile",
    [
        "-----BEGIN PRIVATE KEY-----" + "Version:" * 20_000,
        "-----BEGIN PRIVATE KEY-----" + "\\" * 100_000,
        "token=" * 10_000,
        "secret = '" + "-" * 190 + "!'\n" * 500,
        "a" * 500_000,
        "https://" * 50_000,
        "eyJ" + "a" * 300_000 + ".",
        "eyJaaaaaaaaaaa.eyJ" * 20_000,
        "sk-" * 100_000,
        "ghp_" + "ab" * 100_000,
    ],
)
def test_no_text_makes_it_slow(hostile: str):
    began = time.process_time()
    find_secrets(adding(hostile.replace("\n", " ")))

    assert time.process_time() - began < 10


@given(st.text(max_size=300).filter(lambda text: "\n" not in text))
def test_any_text_can_be_looked_at(text: str):
    clean = text.replace("\r", " ").encode("utf-8", "replace").decode()
    for finding in find_secrets(adding(clean)):
        assert finding.line == 1


def test_masks_show_too_little_to_use():
    assert mask("short") == "sh…"
    assert mask("0123456789abcdefghij") == "0123…ghij"
