"""The pure core: values in, values out; no clock, no random, no I/O."""
