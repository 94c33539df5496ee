"""Files that the package writes: whole, through no link, over no file of another origin."""
import contextlib
import os

# Tells that Amontons has written a page, which may be replaced without being asked to.
MARK = '<meta name="generator" content="Amontons">'


class OutputRefused(ValueError):
    """Says why a file is not written where it was asked for."""


def refuse_link(path):
    """Raises OutputRefused for a symbolic link: writing it would change a file of another name."""
    if os.path.islink(path):
        raise OutputRefused(f"{path}: a symbolic link cannot be the output; name the file itself")


def refuse_foreign_page(path, force):
    """Raises OutputRefused for a link, and without `force` for a file that is no page of ours."""
    refuse_link(path)
    if force or not os.path.isfile(path):
        return
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read(4096)
    if text and not (text.lower().startswith("<!doctype html") and MARK in text):
        raise OutputRefused(f"{path}: a file of this name is no page of this program; name another "
                            "one, or replace it with --force")


@contextlib.contextmanager
def replacement(path):
    """Yields the name of a new file, which gets the name `path` when the block ends."""
    refuse_link(path)
    aside = f"{path}.{os.getpid()}.tmp"
    os.close(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
    try:
        yield aside
        os.replace(aside, path)
    except BaseException:
        os.unlink(aside)
        raise
