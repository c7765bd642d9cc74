"""Estimators for ratings on a finite scale: counts per value instead of sorted rewards. Exact, and O(m) per rating."""
