"""Pure: states of a publication, texts of pull requests and comments, landings and reverts."""
