"""Network access of sandboxes: the proxy that enforces allowed hosts, and the name watch."""
