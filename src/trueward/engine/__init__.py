"""How one function runs both interpreted and compiled: kernels, states, generic functions."""
