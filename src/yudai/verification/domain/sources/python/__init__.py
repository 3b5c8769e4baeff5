"""What is special to Python in the sources of tests and patches."""
