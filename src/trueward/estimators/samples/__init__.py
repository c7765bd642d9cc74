"""How the rewards of each arm are kept: sorted, counted, or in order with cursors."""
