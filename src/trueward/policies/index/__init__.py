"""Policies that score every arm and play the highest score."""
