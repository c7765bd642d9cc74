"""Functions that run interpreted and compiled, states, the one loop (Algorithm 1), traces and regret."""
