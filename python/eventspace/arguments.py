"""Checks of arguments. Faults are TypeError and ValueError of one form: "last: found -1; expected 0 or more"."""

import math
import operator
import os
from typing import Any, List, Optional, Sequence, Tuple, Union

import numpy

_MOST = 2**64 - 1


def text(name: str, value: Any) -> str:
    """A str; None is the empty one."""
    return "" if value is None else _str(name, value)


def name(argument: str, value: Any) -> str:
    """A str, which None does not replace."""
    return _str(argument, value)


def file(name: str, value: Any) -> str:
    """The path of a file: str, bytes or os.PathLike."""
    try:
        return os.fsdecode(value)
    except TypeError:
        raise _wrong_type(name, value, "the path of a file") from None


def files(name: str, value: Any) -> List[str]:
    """A sequence of paths."""
    if isinstance(value, (str, bytes, os.PathLike)):
        raise _wrong_type(name, value, "a sequence of paths")
    return [file(name, one) for one in _listed(name, value, "a sequence of paths")]


def truth(name: str, value: Any) -> bool:
    """True or False, also of numpy."""
    if not isinstance(value, (bool, numpy.bool_)):
        raise _wrong_type(name, value, "True or False")
    return bool(value)


def texts(name: str, value: Union[None, str, Sequence[str]]) -> List[str]:
    """A sequence of str, which is not a str itself."""
    if value is None:
        return []
    if isinstance(value, (str, bytes)):
        raise _wrong_type(name, value, "a sequence of str")
    found = _listed(name, value, "a sequence of str")
    for one in found:
        if not isinstance(one, str):
            raise TypeError(f"{name}: found {one!r} in the sequence; expected str")
        one.encode()
    return found


def count(name: str, value: Any, most: int = _MOST) -> int:
    """A whole number from 0 to `most`. numpy's integers are whole numbers too."""
    return whole(name, value, 0, most)


def counts(name: str, value: Any, most: int = _MOST) -> List[int]:
    """A sequence of whole numbers from 0 to `most`."""
    if isinstance(value, (str, bytes)):
        raise _wrong_type(name, value, "a sequence of whole numbers")
    return [count(name, one, most) for one in _listed(name, value, "a sequence of whole numbers")]


def values(name: str, value: Any) -> Tuple[Any, ...]:
    """A sequence of values of a packet, which is not one itself."""
    if isinstance(value, (str, bytes, dict, set)):
        raise _wrong_type(name, value, "a sequence of values")
    return tuple(_listed(name, value, "a sequence of values"))


def whole(name: str, value: Any, least: int, most: int) -> int:
    """A whole number from `least` to `most`."""
    try:
        number = operator.index(value)
    except TypeError:
        raise _wrong_type(name, value, "a whole number") from None
    if number < least:
        raise ValueError(f"{name}: found {number}; expected {least} or more")
    if number > most:
        raise ValueError(f"{name}: found {number}; expected at most {most}")
    return number


def seconds(name: str, value: Any) -> float:
    """A number of seconds, 0 or more."""
    number = _number(name, value)
    if not number >= 0:
        raise ValueError(f"{name}: found {number:g}; expected seconds, 0 or more")
    return number


def seconds_or_none(name: str, value: Any) -> Optional[float]:
    """A number of seconds, 0 or more, or None."""
    return None if value is None else seconds(name, value)


def some_seconds(name: str, value: Any) -> float:
    """A number of seconds, more than 0 and finite."""
    number = _number(name, value)
    if not 0 < number < math.inf:
        raise ValueError(f"{name}: found {number:g}; expected seconds, more than 0")
    return number


def _str(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise _wrong_type(name, value, "str")
    value.encode()  # UnicodeEncodeError for a lone surrogate
    return value


def _number(name: str, value: Any) -> float:
    if isinstance(value, (str, bytes)):
        raise _wrong_type(name, value, "seconds")
    try:
        return float(value)
    except TypeError:
        raise _wrong_type(name, value, "seconds") from None


def _listed(name: str, value: Any, expected: str) -> List[Any]:
    try:
        return list(value)
    except TypeError:
        raise _wrong_type(name, value, expected) from None


def _wrong_type(name: str, value: Any, expected: str) -> TypeError:
    return TypeError(f"{name}: found {value!r}; expected {expected}")
