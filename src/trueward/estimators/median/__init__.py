"""The median: the middle reward, or the mean of the two middle ones."""
