"""Containers by podman or docker, called as programs; start with `cloud.py`."""
