"""What comes in from outside is read in a child process, within limits of memory and time.

    door.py       what pages, commands and `bnpexplorer.load` call
    children.py   the processes: at most two, kept warm
    process.py    one of them
    watch.py      when it is ended
    following.py  who is told how far it is, and may cancel it
    wire.py       how both sides talk: JSON and arrays, no pickle
    child.py      what runs in the process: one piece of work after the other
    work.py       the pieces of work
    pipes.py      what only this process can read, since the child has other pipes
    usage.py      what a process uses
    held.py       how much the texts of all tabs hold together
    limits.py     how much memory and time one file may take

A reader that runs out of memory, hangs or crashes takes a child with it and nothing else. Samples,
which come with the package, are read without one.
"""
