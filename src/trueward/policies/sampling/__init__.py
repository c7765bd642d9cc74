"""Policies that draw their arm from probabilities, which they know."""
