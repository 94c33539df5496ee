"""Files that the package writes: whole, through no link, over no file of another origin."""
import contextlib
import os

# Tells that Amontons has written a page, which may be replaced without being asked to.
MARK = '<meta name="generator" content="Amontons">'


# The same of a film, as its comment.
FILM_MARK = "Amontons replay"

# Bytes within which a mark lies: that of an MP4 file follows its table of pictures.
_MARKED_BYTES = 1 << 20


class OutputRefused(ValueError):
    """Says why a file is not written where it was asked for."""


def refuse_link(path):
    """Raises OutputRefused for a symbolic link: writing it would change a file of another name."""
    if os.path.islink(path):
        raise OutputRefused(f"{path}: a symbolic link cannot be the output; name the file itself")


def _refuse_foreign(path, kind, is_own, force, remedy):
    """Raises OutputRefused for a link, and without `force` for a file that `is_own` (a function of
    its first bytes) does not know. An empty file is replaced."""
    refuse_link(path)
    if force or not os.path.isfile(path):
        return
    with open(path, "rb") as file:
        begin = file.read(_MARKED_BYTES)
    if begin and not is_own(begin):
        raise OutputRefused(f"{path}: a file of this name is no {kind} of this program; name "
                            f"another one, or replace it with {remedy}")


def refuse_foreign_page(path, force):
    """Raises OutputRefused for a link, and without `force` for a file that is no page of ours."""
    _refuse_foreign(path, "page", lambda begin: begin.lower().startswith(b"<!doctype html")
                    and MARK.encode() in begin, force, "--force")


def refuse_foreign_picture(path, force):
    """Raises OutputRefused for a link, and without `force` for a file that is no PNG of ours."""
    _refuse_foreign(path, "picture", lambda begin: begin.startswith(b"\x89PNG\r\n")
                    and b"tEXtSoftware\0Amontons" in begin, force, "force=True")


def refuse_foreign_film(path, force):
    """Raises OutputRefused for a link, and without `force` for a file that is no film of ours."""
    _refuse_foreign(path, "film", lambda begin: FILM_MARK.encode() in begin, force, "force=True")


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
