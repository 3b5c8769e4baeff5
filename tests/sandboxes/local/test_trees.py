"""Removing what hostile code has made."""

import os
from pathlib import Path

from yudai.sandboxes.backends.trees import remove_tree
from yudai.sandboxes.backends.workspace.disk_usage import usage


def test_a_tree_with_closed_folders_and_odd_names(tmp_path: Path):
    root = tmp_path / "root"
    for path in ("a/b/c", "a/.removing-0/x", "-rf", "new\nline", "\udcff"):
        (root / path).mkdir(parents=True)
        (root / path / "file").touch()
    os.mkfifo(root / "pipe")
    (root / "a/b").chmod(0)
    (root / "a").chmod(0)
    root.chmod(0)

    remove_tree(root)

    assert not root.exists()


def test_links_are_removed_and_not_followed(tmp_path: Path):
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept/file").touch()
    root = tmp_path / "root"
    root.mkdir()
    (root / "link").symlink_to(tmp_path / "kept")
    (root / "broken").symlink_to("nowhere")

    remove_tree(root)

    assert (tmp_path / "kept/file").exists()
    assert not root.exists()


def test_a_tree_deeper_than_a_path_can_name(tmp_path: Path):
    root = tmp_path / "root"
    root.mkdir()
    here = os.open(root, os.O_RDONLY)
    for _ in range(1200):
        os.mkdir("abcdefgh", dir_fd=here)
        here, above = os.open("abcdefgh", os.O_RDONLY, dir_fd=here), here
        os.close(above)
    with open(os.open("file", os.O_WRONLY | os.O_CREAT, dir_fd=here), "wb") as file:  # noqa: PTH123
        file.write(b"x" * 1_000_000)
    os.close(here)

    assert 5_000_000 < usage(root) < 8_000_000
    remove_tree(root)

    assert not root.exists()


def test_nothing_there_is_fine(tmp_path: Path):
    remove_tree(tmp_path / "none")
