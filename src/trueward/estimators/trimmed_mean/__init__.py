"""The alpha-trimmed mean: the mean of what is left when each end loses a fraction alpha."""
