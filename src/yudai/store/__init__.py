"""The database, SQLite or PostgreSQL: connections, transactions, migrations and column types.

Start with `store.py` and `database.py`, the only place that commits. Each capability owns its
tables; their base class is in `rows.py`.
"""
