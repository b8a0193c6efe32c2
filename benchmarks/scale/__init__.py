"""How learning grows with cores, documents and machines: one file a part."""
