"""What boxes may reach: lists of hosts, and the proxy that keeps to them."""
