"""Rows of solves: the request, its timeline of events, and claims of workers.

Start with `domain/request.py` (what is asked), `domain/matrix.py` (which contestants it expands to)
and `domain/states.py`. `timeline.py` writes events, `claims.py` refuses writes of a worker that
lost its solve.
"""
