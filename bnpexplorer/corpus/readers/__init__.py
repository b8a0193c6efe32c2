"""Readers: from the bytes of a file to a `Source`, texts or counts that are not yet a corpus."""
