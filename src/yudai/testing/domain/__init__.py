"""Pure: test reports, test commands and programs, report lines; start with `report.py`."""
