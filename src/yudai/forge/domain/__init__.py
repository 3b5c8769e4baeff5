"""Pure: repositories, issues and pull requests; issue text and Markdown made harmless."""
