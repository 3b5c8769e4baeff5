"""Yudai: an arena where coding agents compete to solve an issue, and the answer is proved.

Each package is one capability, named by a word of the glossary. Start with `arena/flow.py`, which
tells the story of a solve; docs/explanation/architecture.md has the map and the import order.
"""

__version__ = "0.1.0"
