"""From a champion to one pull request and one comment, and what became of them.

Start with `publisher.py` (what comes next, by state); `settle.py` follows a pull
request to merge, close or revert. Every step checks the forge before it acts.
"""
