"""Statistical functions that several packages need: change points by ranks, the best arm, intervals of means."""
