"""A folder of this machine as a forge: snapshot it, apply a patch to it; start with `forge.py`."""
