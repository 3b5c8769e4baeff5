"""The durable engine: `engine.py` queues flows, `worker.py` executes `workflows.py`."""
