"""Orders the verified runs of a solve and names the champion.

`domain/reducers.py` has a row for each rule, `domain/reducer.py` applies one to scorecards;
`rank.py` builds the scorecards from rows and stores the ranking.
"""
