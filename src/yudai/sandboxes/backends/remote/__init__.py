"""Sandboxes that somebody else's program makes: what all of them have in common."""
