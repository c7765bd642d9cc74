"""Policies around another policy, or around a plain Python object."""
