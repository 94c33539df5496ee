"""Ctrl-C while work is handed to threads."""
from contextlib import contextmanager


@contextmanager
def plain_interrupts():
    """Raises KeyboardInterrupt for Ctrl-C alone within it. Where that comes while a lock of Python's
    own is taken, the lock raises RuntimeError in its place."""
    try:
        yield
    except RuntimeError as error:
        if isinstance(error.__context__, KeyboardInterrupt):
            raise KeyboardInterrupt from None
        raise
