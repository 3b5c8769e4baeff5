"""Runs flows durably: starts, queues and cancels them, and takes over from dead workers.

`port.py` is the Protocol, `adapters/dbos/` the durable engine, `adapters/in_process.py` the plain
one. `leases.py` renews this worker's lease and takes over expired ones; `guard.py` cancels tasks
whose claim was lost.
"""
