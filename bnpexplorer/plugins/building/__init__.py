"""A corpus on the disk, built of files of any size in bounded memory.

Files are read once into chunks of documents (`records.py`, `chunks.py`); processes count the words
of a chunk each (`counting.py`); what all chunks count is merged in the order of the alphabet, which
decides which words stay (`merging.py`); then processes number the words of their chunks, and the
documents that stay are written in order (`writing.py`). After every chunk what is done is on the
disk: a build that was killed goes on there (`build.py`).
"""
