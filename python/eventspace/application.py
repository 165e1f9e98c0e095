"""What an application uses beside Session, Thread and Path: received tuples, and probes."""

import functools
import inspect
from typing import Any

from eventspace import _eventspace


class Received(tuple):
    """A tuple that was read, taken or exchanged.

    sequence: its number in the element, from 1, or the number of the collective operation.
    missed: of Path.next, how many tuples were discarded before this reader could read them.
    """

    sequence: int = 0
    missed: int = 0


def probe(what: Any, *values: float, **named: Any) -> Any:
    """Records a probe, or makes a function a region.

    probe("iteration", 3, residual=0.25) records a moment with up to 8 numbers; `virtual_time`, a whole number, groups
    the events of several probes. As a decorator, `@probe` makes each call of a function a region
    that has the function's qualified name. A region belongs to the thread that begins it, so that it must not contain
    an `await` or a `yield`; decorating a coroutine function or a generator raises TypeError. The region of a
    functools.partial has the name of its function, that of another callable object the name of its class.

    Probes are recorded in the session that this process has joined, or that `eventspace run` has started it in, and
    nowhere in another process. They never wait.
    """
    if not callable(what):
        return _eventspace.point(what, *values, **named)
    name = _name_of(what)
    if values or named:
        raise TypeError(f"values of the probe of {name}: a function that becomes a region has none")
    if _only_makes_an_object(what):
        raise TypeError(f"{name} is a coroutine function or a generator, whose calls only make an object; "
                        "decorate a function that it calls")
    region = _eventspace.region(name)

    @functools.wraps(what)
    def in_region(*arguments: Any, **options: Any) -> Any:
        with region:
            return what(*arguments, **options)

    return in_region


def _name_of(function: Any) -> str:
    """The qualified name of a function; of a functools.partial that of its function, of another object that of its
    class."""
    while isinstance(function, functools.partial):
        function = function.func
    return getattr(function, "__qualname__", type(function).__qualname__)


def _only_makes_an_object(function: Any) -> bool:
    """Whether calls of the function only make a coroutine or a generator."""
    called = [function, getattr(type(function), "__call__", None)]
    return any(inspect.iscoroutinefunction(one) or inspect.isgeneratorfunction(one) or inspect.isasyncgenfunction(one)
               for one in called)
