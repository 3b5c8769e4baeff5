"""Pure: verdicts, judging of test reports, and detection of tampering; start with `decide.py`."""
