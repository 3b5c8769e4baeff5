"""Pure: request, matrix, budget, states, origin, slash commands and time estimates."""
