"""Probes, values and what they show: pure."""
