"""The database, SQLite or PostgreSQL: connections, transactions and migrations, without any table.

Start with `store.py` and `database.py`, the only place that commits. Each capability owns its
tables (`tables.py`) on the base class in `rows.py`.
"""
