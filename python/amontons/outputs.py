"""Files that the package writes: whole, through no link, over no file of another origin."""
import contextlib
import os

from ._core import OutputError, _refuse_foreign, _refuse_link_or_device

# Tells that Amontons has written a page, which may be replaced without being asked to.
MARK = '<meta name="generator" content="Amontons">'

# The same of a film, as its comment.
FILM_MARK = "Amontons replay"


def refuse_link(path):
    """Raises ParseError for a symbolic link: writing it would change a file of another name, and
    OutputError for a device or pipe, whose place no file may take."""
    _refuse_link_or_device(path)


def refuse_foreign_page(path, force, remedy="force=True"):
    """Raises errors as refuse_link(), and ParseError without `force` for a file that is no page of
    ours."""
    _refuse_foreign(path, "page", force, remedy)


def refuse_foreign_picture(path, force):
    """Raises errors as refuse_link(), and ParseError without `force` for a file that is no PNG of
    ours."""
    _refuse_foreign(path, "picture", force, "force=True")


def refuse_foreign_film(path, force):
    """Raises errors as refuse_link(), and ParseError without `force` for a file that is no film of
    ours."""
    _refuse_foreign(path, "film", force, "force=True")


@contextlib.contextmanager
def replacement(path):
    """Yields the name of a new file, which gets the name `path` when the block ends. Raises
    OutputError where there can be none."""
    refuse_link(path)
    aside = f"{path}.{os.getpid()}.tmp"
    try:
        os.close(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
    except OSError as error:
        raise OutputError(f"{path}: cannot create: {error.strerror}") from None
    try:
        yield aside
        os.replace(aside, path)
    except BaseException:
        os.unlink(aside)
        raise
