"""What a workspace changed, its disk usage and capped output; also shipped into remote machines."""
