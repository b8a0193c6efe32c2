"""Languages: which one texts are in, its stop words, and how its words are cut and stemmed."""
