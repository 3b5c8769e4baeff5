"""HTTP: routes, problems and guards; everything it does is done by services."""
