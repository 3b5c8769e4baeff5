"""One file per schema version; a released one is never edited."""
