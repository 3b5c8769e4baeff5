"""Gateways: scripted replies, OpenAI-compatible servers, and `by_provider.py` that selects one."""
