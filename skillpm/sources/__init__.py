"""Where skills come from: one module a kind of place, one way to choose inside all of them."""
