"""Documents: dividing, joining, leaving out, and how many there must be."""
