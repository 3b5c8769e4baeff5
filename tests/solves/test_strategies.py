"""A strategy is one row and one recipe; nothing else names them all."""

from yudai.agents.strategies import names, recipe
from yudai.solves.domain.strategies import DEFAULT, STRATEGIES, Strategy, choices


def test_each_strategy_has_a_row_and_a_recipe():
    assert list(STRATEGIES) == list(Strategy)
    assert sorted(names()) == sorted(Strategy)
    assert all(STRATEGIES[strategy] and recipe(strategy) for strategy in Strategy)


def test_help_names_each_and_marks_the_default():
    assert all(strategy in choices() for strategy in Strategy)
    assert choices().count("(default)") == 1
    assert f"{DEFAULT} (default)" in choices()
