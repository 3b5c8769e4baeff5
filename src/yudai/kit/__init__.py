"""Small building blocks that belong to no capability; imports nothing else of Yudai.

Ids, errors, causes of failure, the base class of values, text clean-up, redaction, money, clock
and concurrency. Start with `errors.py` and `value.py`.
"""
