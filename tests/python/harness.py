"""Runs the functions test_* of a module, in the order of their lines."""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIRST = ROOT / "examples" / "first.yaml"


def run_tests(names: dict) -> None:
    tests = [value for name, value in names.items() if name.startswith("test_")]
    for test in tests:
        test()
        print(f"ok: {test.__name__}")
    sys.exit(0 if tests else 1)


def raises(error, function, *arguments, **options):
    """Returns the text of the error; the test fails if there is none."""
    try:
        function(*arguments, **options)
    except error as complaint:
        return str(complaint)
    raise AssertionError(f"{error.__name__} was not raised")
