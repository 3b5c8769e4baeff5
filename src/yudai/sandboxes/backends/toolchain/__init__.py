"""Which Python, Node and package settings a sandbox gets; start with `toolchain.py`."""
