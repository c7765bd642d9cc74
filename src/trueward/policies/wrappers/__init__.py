"""Policies that wrap another policy, or an object in plain Python."""
