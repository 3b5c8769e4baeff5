"""OpenRouter and any OpenAI-compatible server; start with `gateway.py`."""
