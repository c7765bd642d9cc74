"""The paper: its figures, its claims, and the ledger of which of them hold."""
