"""Policies that draw from posteriors and play the arm with the highest draw: Thompson sampling."""
