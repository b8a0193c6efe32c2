"""The tables of an exported zip, read by pandas."""

import io
import zipfile

import pandas as pd


def frames(data):
    """Name -> DataFrame of every CSV file, and the text of others."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    return {
        name: pd.read_csv(io.BytesIO(content)) if name.endswith(".csv") else content.decode()
        for name, content in files.items()
    }
