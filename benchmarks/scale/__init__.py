"""What large corpora and many cores take: one file a part."""
