"""Sandboxes: the isolated machines that runs work in, and the backends that provide them.

`port.py` has the Protocols (Backend, Sandbox), `backends/` one sub-package per vendor.
`register.py` is where a backend notes what could outlive its process, kept in the database by
`database_register.py`; `reap.py` removes what dead processes left.
"""
