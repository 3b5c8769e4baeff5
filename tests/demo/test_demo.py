"""The demo's sources are the same on every machine."""

import tarfile
from pathlib import Path

from yudai import demo


def test_the_archive_is_made_once_and_is_the_same_everywhere(tmp_path: Path):
    one, two = demo.base(tmp_path / "a", None), demo.base(tmp_path / "b", None)
    assert one.source.name == two.source.name
    assert one.source.read_bytes() == two.source.read_bytes()
    assert one.key == two.key
    made = one.source.stat().st_ino
    assert demo.base(tmp_path / "a", None).source.stat().st_ino == made
    with tarfile.open(one.source) as tar:
        names = tar.getnames()
        assert {member.mtime for member in tar} == {1_750_000_000}
    assert "pyproject.toml" in names
    assert not [name for name in names if "__pycache__" in name]


def test_the_matrix_has_one_contestant_per_script():
    matrix = demo.matrix()
    assert len(matrix.models) >= 6
    assert demo.issue().title
