"""The alpha-shorth mean: the mean of the shortest interval that contains a fraction 1 - alpha of the rewards."""
