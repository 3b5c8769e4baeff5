"""What a person decides about a solve that awaits review.

`apply.py` applies a patch to the folder or onto a branch; `choose.py` makes another run the
champion or dismisses the answer; `answer.py` answers a question without which there is none.
"""
