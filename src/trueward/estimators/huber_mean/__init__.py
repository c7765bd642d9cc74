"""Huber's mean: rewards within beta count as in a mean, those beyond pull with the same force however far they are."""
