"""Providers of machines on loopback: fake VMs, and control planes that the real SDKs accept."""
