"""Policies that draw from what they believe, and play the arm whose draw is highest."""
