"""Pure: lists of allowed hosts, and which prepared bases to evict."""
