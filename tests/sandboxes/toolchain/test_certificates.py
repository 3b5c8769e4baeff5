"""Bundles of certificates on their way into a sandbox: nothing else of their files goes along."""

from pathlib import Path

from yudai.sandboxes.backends.toolchain.package_settings import copy_certificates

ONE = "-----BEGIN CERTIFICATE-----\nMIIBone\n-----END CERTIFICATE-----"
TWO = "-----BEGIN TRUSTED CERTIFICATE-----\nMIIBtwo=\n-----END TRUSTED CERTIFICATE-----"
KEY = "-----BEGIN PRIVATE KEY-----\nsecret\n-----END PRIVATE KEY-----"


def test_only_certificates_are_copied(tmp_path: Path):
    bundle, key = tmp_path / "bundle.pem", tmp_path / "id_rsa"
    bundle.write_text(f"# Some authority\n{ONE}\n{KEY}\nsecret\n{TWO}\n")
    bundle.chmod(0o600)
    key.write_text(KEY)

    names = copy_certificates([key, tmp_path / "none", tmp_path, bundle], tmp_path / "copies")

    assert names == {str(bundle): "3.pem"}
    copy = tmp_path / "copies/3.pem"
    assert copy.read_text() == f"{ONE}\n{TWO}\n"
    assert copy.stat().st_mode & 0o777 == 0o644
    assert [path.name for path in (tmp_path / "copies").iterdir()] == ["3.pem"]


def test_a_block_that_does_not_end_takes_no_key_along(tmp_path: Path):
    broken = tmp_path / "broken.pem"
    broken.write_text(f"-----BEGIN CERTIFICATE-----\nMIIB\n{KEY}\n-----END CERTIFICATE-----\n")

    assert copy_certificates([broken], tmp_path / "copies") == {}
