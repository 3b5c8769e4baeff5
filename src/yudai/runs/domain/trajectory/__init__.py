"""Trajectories in mini-SWE-agent's formats: messages, steps, transcript, foreign files."""
