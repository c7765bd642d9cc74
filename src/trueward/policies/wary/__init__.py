"""Wary, the default policy."""
