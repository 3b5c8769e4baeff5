"""Pure: states of a run, exit statuses, marks and its trajectory."""
