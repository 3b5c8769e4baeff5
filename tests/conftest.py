"""Its place puts this directory on the path, so that tests find `fakes` and `builders`."""
