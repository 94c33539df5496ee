"""The texts that change with a function: its code, and the values on which it depends."""
import copyreg
import functools
import hashlib
import types

import numpy as np

# Types of which the text is the value.
_PLAIN = (bool, int, float, complex, str, bytes, type(None), np.generic)
# Types of attributes of a class that count; others are its methods and what they keep.
_DATA = (*_PLAIN, np.ndarray, list, tuple, dict, set, frozenset)


def _code_parts(code):
    """Yields the parts of compiled code that fix what it does, with no address among them."""
    yield code.co_code.hex()
    yield repr(code.co_names + code.co_varnames + code.co_freevars)
    for constant in code.co_consts:
        if hasattr(constant, "co_code"):
            yield from _code_parts(constant)
        elif isinstance(constant, frozenset):
            yield repr(sorted(map(repr, constant)))
        else:
            yield repr(constant)


def _captured(function):
    """Returns the values that a function of Python captures."""
    values = []
    for cell in function.__closure__ or ():
        try:
            values.append(cell.cell_contents)
        except ValueError:  # not bound yet
            values.append(None)
    return values


def _attributes(value):
    """Returns the attributes of an object as pairs, those of slots among them."""
    found = dict(getattr(value, "__dict__", {}))
    for name in copyreg._slotnames(type(value)):
        if hasattr(value, name):
            found[name] = getattr(value, name)
    return list(found.items())


def _state(value):
    """Returns the values that make an object again as pickle does, else its attributes. Values that
    pickle leaves out, such as stored hashes, change from process to process."""
    try:
        reduce = copyreg.dispatch_table.get(type(value))
        made = reduce(value) if reduce else value.__reduce_ex__(4)
    except Exception:  # any class may refuse in its own way
        return _attributes(value)
    if isinstance(made, str):  # a global name
        return [made, *_attributes(value)]
    function, arguments, state, items, pairs = (*made, None, None, None)[:5]
    return [function, arguments, state, list(items or ()), list(pairs or ())]


def _parts_of_function(value):
    """Returns a text and the values on which a function or class depends, or nothing for others."""
    if isinstance(value, functools.partial):
        return "partial", [value.func, value.args, value.keywords]
    if isinstance(value, type):
        data = [pair for pair in vars(value).items()
                if not pair[0].startswith("_") and isinstance(pair[1], _DATA)]
        return value.__qualname__, [*data, *value.__bases__]
    code = getattr(value, "__code__", None)
    if isinstance(value, (types.FunctionType, types.MethodType)) and code is not None:
        return "".join(_code_parts(code)), [value.__defaults__, value.__kwdefaults__,
                                            _captured(value), getattr(value, "__self__", None)]
    return None


def _parts(value):
    """Returns a text of a value and the values on which it depends besides, sets excepted."""
    if type(value) is np.ndarray and not value.dtype.hasobject:
        data = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
        return f"{value.dtype.descr}{value.shape}{data}", []
    if isinstance(value, (list, tuple)):
        return type(value).__qualname__, list(value)
    if isinstance(value, dict):
        return type(value).__qualname__, [item for pair in value.items() for item in pair]
    if isinstance(value, types.ModuleType):
        return f"module {value.__name__}", []
    if found := _parts_of_function(value):
        return found
    own = getattr(getattr(type(value), "__call__", None), "__code__", None)
    code = [] if own is None else _code_parts(own)
    return "".join([type(value).__qualname__, *code]), [type(value), *_state(value)]


def _dependence(root, outer=None):
    """Returns texts that change with a value on which a function depends: numbers, texts, arrays,
    functions, lists, tuples, sets and dicts, and the attributes of objects and classes. The same
    values give the same texts in every process. Modules count by their names.

    Values are numbered as they are met, so that circles end. `outer` holds the numbers of those
    that were met before, by their identities.
    """
    numbers, met, texts = {}, [], []

    def text_of(value):
        if isinstance(value, _PLAIN):
            return repr(value.tolist() if isinstance(value, np.generic) else value)
        if outer and id(value) in outer:
            return f"^{outer[id(value)]}"
        if id(value) not in numbers:
            numbers[id(value)] = f"{len(outer or ())}.{len(met)}"
            met.append(value)  # which also keeps it, so that its identity stays its own
        return f"#{numbers[id(value)]}"

    texts.append(text_of(root))
    for value in met:  # grows meanwhile
        if isinstance(value, (set, frozenset)):
            seen = {**(outer or {}), **numbers}
            items = sorted("".join(_dependence(item, seen)) for item in value)
            texts.append(f"{type(value).__qualname__}[{', '.join(items)}]")
            continue
        text, values = _parts(value)
        texts.append(f"{text}({', '.join(map(text_of, values))})")
    return texts
