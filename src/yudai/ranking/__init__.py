"""Orders the verified runs of a solve and names the champion.

`domain/reducer.py` is the rule, a pure function over scorecards; `rank.py` builds the scorecards
from rows and stores the ranking.
"""
