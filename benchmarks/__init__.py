"""Our methods beside other programs, on one corpus, by one held-out scorer."""
