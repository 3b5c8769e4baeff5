"""Things to try Yudai with, where the real ones need an account."""
