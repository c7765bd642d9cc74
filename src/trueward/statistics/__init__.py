"""Statistical functions that several packages use: change points by ranks, probabilities of the best arm, intervals."""
