"""Estimators for any rewards, whose cost per reward does not grow with their number."""
