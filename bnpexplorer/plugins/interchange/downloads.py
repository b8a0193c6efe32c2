"""The files in forms of other programs that pages offer under Share."""

from ...ui.parts.share import Download
from .mallet import mallet_file
from .pyldavis import pyldavis_file

DOWNLOADS = (
    Download(
        "Arrays for pyLDAvis",
        "What its prepare function takes",
        "An .npz without pickle; give prepare also sort_topics=False.",
        "-pyldavis.npz",
        "application/zip",
        pyldavis_file,  # other types the server would gzip
        to="pyldavis",
        cell=8,
    ),
    Download(
        "MALLET's files",
        "topic-keys, doc-topics and state",
        "For programs that read MALLET. topics.csv tells which number is which topic.",
        "-mallet.zip",
        "application/zip",
        mallet_file,
        texts=True,
        to="mallet",
        cell=4,
    ),
)
