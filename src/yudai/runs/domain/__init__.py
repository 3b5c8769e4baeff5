"""Pure: states of a run, exit statuses, marks, the agent's plan and its trajectory."""
