"""Cost caps of runs and solves; `metered_gateway.py` reserves each model call and settles it."""
