"""Protocols of a folder, of a remote forge with its git side, and of logging in there."""
