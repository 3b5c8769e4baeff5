"""Seals forge tokens with Fernet and hashes login and API keys with HMAC."""
