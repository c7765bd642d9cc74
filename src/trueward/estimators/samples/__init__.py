"""Rewards of each arm as several estimators store them: sorted, counted, or in sorted blocks; and their exact sums."""
