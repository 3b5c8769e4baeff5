"""Pure: the command-line agents that `COMMAND_AGENTS` describes, and an agent's plan."""
