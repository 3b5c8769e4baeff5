"""Shared by all tests; its folder is on the import path."""

import signal

# A script's background job starts with these ignored, and whatever tests start would inherit that.
for _signal in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
    if signal.getsignal(_signal) is signal.SIG_IGN:
        _default = signal.default_int_handler if _signal is signal.SIGINT else signal.SIG_DFL
        signal.signal(_signal, _default)
