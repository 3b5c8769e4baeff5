"""Engines: tasks of this process, or DBOS; and which processes of this host are alive."""
