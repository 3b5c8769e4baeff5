"""Pure: models, prices, token usage, and routing of model names to providers."""
