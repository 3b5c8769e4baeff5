"""Stored blobs: patches, plans, trajectories, test logs and source archives.

`port.py` is the Protocol, `adapters/object_store.py` keeps blobs in a folder or an S3 bucket,
`queries.py` finds the latest blob of a kind for a solve or a run.
"""
