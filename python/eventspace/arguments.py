"""Checks of arguments. Faults are TypeError and ValueError of one form: "last: found -1; expected 0 or more"."""

import math
import operator
from typing import Any, List, Optional, Sequence, Union


def text(name: str, value: Any) -> str:
    """A str; None is the empty one."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _wrong_type(name, value, "str")
    return value


def texts(name: str, value: Union[None, str, Sequence[str]]) -> List[str]:
    """A sequence of str, which is not a str itself."""
    if value is None:
        return []
    if isinstance(value, (str, bytes)):
        raise _wrong_type(name, value, "a sequence of str")
    try:
        found = list(value)
    except TypeError:
        raise _wrong_type(name, value, "a sequence of str") from None
    for one in found:
        if not isinstance(one, str):
            raise TypeError(f"{name}: found {one!r} in the sequence; expected str")
    return found


def count(name: str, value: Any) -> int:
    """A whole number, 0 or more. numpy's integers are whole numbers too."""
    try:
        number = operator.index(value)
    except TypeError:
        raise _wrong_type(name, value, "a whole number") from None
    if number < 0:
        raise ValueError(f"{name}: found {number}; expected 0 or more")
    if number >= 2**64:
        raise ValueError(f"{name}: found {number}; expected less than 2**64")
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


def _number(name: str, value: Any) -> float:
    if isinstance(value, (str, bytes)):
        raise _wrong_type(name, value, "seconds")
    try:
        return float(value)
    except TypeError:
        raise _wrong_type(name, value, "seconds") from None


def _wrong_type(name: str, value: Any, expected: str) -> TypeError:
    return TypeError(f"{name}: found {value!r}; expected {expected}")
