"""A bandit in a live study: ask, tell, retract, explain."""
