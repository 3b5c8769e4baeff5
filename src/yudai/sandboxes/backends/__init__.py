"""Sandbox backends: bubblewrap, process, container, E2B and Prime; they know no database.

bubblewrap and process use `local/`; container, E2B and Prime implement the small Cloud Protocol of
`remote/cloud.py` and share `remote/backend.py`. All use `workspace/`, `toolchain/`, `network/`.
"""
