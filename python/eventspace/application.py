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
    an `await` or a `yield`; decorating a coroutine function or a generator raises TypeError.

    Probes are recorded in the session that this process has joined, or that `eventspace run` has started it in, and
    nowhere in another process. They never wait.
    """
    if not callable(what):
        return _eventspace.point(what, *values, **named)
    if inspect.iscoroutinefunction(what) or inspect.isgeneratorfunction(what) or inspect.isasyncgenfunction(what):
        raise TypeError(f"{what.__qualname__} is a coroutine function or a generator, whose calls only make an object; "
                        "decorate a function that it calls")
    region = _eventspace.region(what.__qualname__)

    @functools.wraps(what)
    def in_region(*arguments: Any, **options: Any) -> Any:
        with region:
            return what(*arguments, **options)

    return in_region
