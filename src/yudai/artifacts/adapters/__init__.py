"""Blobs in a folder or an S3 bucket, named by their content; start with `object_store.py`."""
