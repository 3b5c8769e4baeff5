"""The two agents, mini-SWE-agent and any command line, and what both use to count edits."""
