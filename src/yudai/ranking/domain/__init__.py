"""Pure: the scorecard of a run and the reducer."""
