"""A demonstration: a class that rates explanations, simulated, and the dashboard that watches it."""
