"""Policies that draw an arm from known probabilities."""
