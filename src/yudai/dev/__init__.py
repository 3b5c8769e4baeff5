"""Development servers that replace services for which one needs an account.

`fake_github/` is the only one; `yudai dev fake-github` starts it.
"""
