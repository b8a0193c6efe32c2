"""What comes in from outside is read in a child process, within limits of memory and time.

    api.py        what pages, commands and `bnpexplorer.load` call
    children.py   the processes: at most two, kept warm
    process.py    one of them, and when it is ended
    following.py  who is told how far it is, and may cancel it
    wire.py       how both sides talk: JSON and arrays, no pickle
    child.py      what runs in the process: one piece of work after the other
    work.py       the pieces of work
    usage.py      what a process uses, and how much memory and time one file may take
    held.py       how much the texts of all tabs hold together

A reader that runs out of memory, hangs or crashes takes a child with it and nothing else. Samples,
which come with the package, are read without one.
"""
