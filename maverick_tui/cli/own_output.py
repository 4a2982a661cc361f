"""Standard output for ourselves alone, while an author's code is at work."""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from typing import TextIO


@contextmanager
def own_output() -> Iterator[TextIO]:
    """Standard output as it was; what others write there, programs that they start as well, goes to standard error:
    it would stand amid our JSON.
    """
    output = sys.stdout
    try:
        theirs, errors = output.fileno(), sys.stderr.fileno()
        ours = os.dup(theirs)
    except (OSError, ValueError):  # one of them is no file
        with redirect_stdout(sys.stderr):
            yield output
        return
    output.flush()
    os.dup2(errors, theirs)
    stream = open(ours, "w", encoding=output.encoding, errors=output.errors, closefd=False)  # noqa: SIM115
    try:
        with redirect_stdout(sys.stderr):
            yield stream
    finally:
        with suppress(OSError, ValueError):  # an author may have closed it
            output.flush()
        os.dup2(ours, theirs)
        atexit.register(_turn, errors, theirs)  # registered last, it is done before what an author has registered
        with suppress(OSError):  # what could not be written was told when it was
            stream.close()
        os.close(ours)


def _turn(errors: int, theirs: int) -> None:
    with suppress(OSError, ValueError):
        sys.stdout.flush()
    with suppress(OSError):
        os.dup2(errors, theirs)
