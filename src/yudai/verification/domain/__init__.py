"""Pure: verdicts, judging of test reports, and detection of tampering; start with `judge.py`."""
