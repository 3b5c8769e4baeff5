"""Pure: commands and labels that request a solve."""
