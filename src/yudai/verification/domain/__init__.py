"""Pure: verdicts, comparison of test reports, detection of tampering; start with `decide.py`."""
