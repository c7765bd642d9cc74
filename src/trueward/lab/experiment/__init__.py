"""An experiment as data: its specification, the runner, the store and the results."""
