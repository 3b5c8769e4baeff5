"""HTML pages and their buttons, for a person who tries the fake GitHub in a browser."""
