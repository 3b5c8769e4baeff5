"""One module per resource; a handler is a few lines that call a use case."""
