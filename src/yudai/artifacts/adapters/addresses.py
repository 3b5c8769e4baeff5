"""The place that settings name; what cannot be right is refused before it is used.

No refusal repeats a value: one that is put into the wrong setting may be a secret.
"""

import re
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit

from yudai.artifacts.adapters.locations import Bucket, Folder, Patience, Place, S3Access
from yudai.kit.errors import RefusedError

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_BUCKET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,62}")
_PREFIX = re.compile(r"[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*")
_HOW = "set ARTIFACTS_URL to s3://bucket/prefix or to a folder"
_PATIENCE = Patience()


def find_place(
    url: str | None, access: S3Access, *, home: Path, patience: Patience = _PATIENCE
) -> Place:
    if not url:
        return Folder(home / "artifacts")
    if not _SCHEME.match(url):
        return Folder(Path(url).expanduser().absolute())
    parts = _split(url)
    match parts.scheme:
        case "s3":
            return _bucket(parts, access, spool=home / "spool", patience=patience)
        case "file":
            return _folder(parts)
        case _:
            raise RefusedError(f"artifacts cannot be kept at a {parts.scheme} address: {_HOW}")


def _bucket(url: SplitResult, access: S3Access, *, spool: Path, patience: Patience) -> Bucket:
    prefix = url.path.strip("/")
    named = _BUCKET.fullmatch(url.netloc) and (not prefix or _PREFIX.fullmatch(prefix))
    if not named or url.query or url.fragment or {".", ".."} & set(prefix.split("/")):
        raise RefusedError(f"ARTIFACTS_URL names no bucket: {_HOW}, with letters, digits, . _ -")
    if (access.access_key_id is None) != (access.secret_access_key is None):
        raise RefusedError("set both AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or neither")
    if access.endpoint is not None:
        _check_endpoint(_split(access.endpoint))
    return Bucket(url.netloc, prefix, spool=spool, access=access, patience=patience)


def _folder(url: SplitResult) -> Folder:
    folder = Path(unquote(url.path))
    if url.netloc not in {"", "localhost"} or not folder.is_absolute() or url.query or url.fragment:
        raise RefusedError("ARTIFACTS_URL names no folder: write file:///folder/of/artifacts")
    return Folder(folder)


def _check_endpoint(url: SplitResult) -> None:
    if url.scheme not in {"http", "https"} or not url.hostname or url.query or url.fragment:
        raise RefusedError("S3_ENDPOINT_URL is no address: write https://server.example:9000")
    if "@" in url.netloc:
        raise RefusedError(
            "S3_ENDPOINT_URL holds a password: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
        )


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        raise RefusedError(f"ARTIFACTS_URL or S3_ENDPOINT_URL is no address: {_HOW}") from None
    return parts
