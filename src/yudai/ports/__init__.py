"""Small Protocols for everything outside, in our own types."""
