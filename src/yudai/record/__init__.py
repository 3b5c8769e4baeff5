"""Records of runs that come from elsewhere.

`import_trajectories.py` turns mini-SWE-agent trajectory files into solves and runs.
"""
