"""The longer commands, one file each."""
