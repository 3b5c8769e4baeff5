"""Engines: in-process tasks or DBOS. Also checks which processes of this host are alive."""
