"""The model endpoint that command agents call from inside a sandbox.

It checks the run's token, reserves the cost, records the messages and forwards the call, so that
no model key enters a sandbox. Start with `endpoint.py`; `port.py` is what agents get of it.
"""
