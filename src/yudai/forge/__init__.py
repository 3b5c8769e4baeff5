"""Forges: where repositories, issues and pull requests are.

`ports/` holds the Protocols (folder, remote, login), `domain/` our values, `adapters/` the world:
a folder of this machine, mirrors of remote repositories, and GitHub. Start with `ports/remote.py`.
"""
