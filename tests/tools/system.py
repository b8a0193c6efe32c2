"""A machine's folders `proc` and `sys`, made up."""


def write(root, files):
    """Files below `root` (path -> text)."""
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
