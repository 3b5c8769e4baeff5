"""What bubblewrap and process share: bases on disk, locks, control groups, processes."""
