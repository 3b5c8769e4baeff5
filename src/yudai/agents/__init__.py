"""Agents: the programs that edit code in a sandbox.

`port.py` is the Protocol. `adapters/mini_swe/agent.py` runs mini-SWE-agent's loop on the worker;
`adapters/command/agent.py` runs any command-line agent inside the sandbox, which calls its model
through `endpoint/`. The text that agents read is in `prompts/` and `strategies/`.
"""
