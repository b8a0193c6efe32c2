"""What keeps a run from its next step, and is no fault of the run."""


class NotNow(Exception):
    """The next step cannot be taken now; the message says why and what to do. The run stands where
    its last step left it, and may go on: nobody is there to compute it, or its texts on the disk
    cannot be read."""
