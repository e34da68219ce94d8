"""Model adapters: models of each kind with one interface, which takes and returns JSON values."""
