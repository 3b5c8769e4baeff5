"""mini-SWE-agent with our model, environment and limits; start with `agent.py`."""
