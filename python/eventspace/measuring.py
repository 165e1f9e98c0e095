"""Metrics, read again and again."""

import asyncio
import time
from typing import Any, Iterable, List, NamedTuple, Optional, Tuple

from eventspace import arguments


class Sample(NamedTuple):
    """A value of a metric."""

    time_ns: int  # of the reading, in nanoseconds since 1970 (UTC)
    objects: Tuple[str, ...]  # for which it is; empty for one value over all
    virtual_time: Optional[int]
    value: Optional[float]  # in Measurement.unit; None if it is missing
    problem: str  # why it is missing; otherwise empty


class Reading(List[Sample]):
    """The samples of one reading. time_s: since the beginning of the recording or measurement; lost: the number of
    events that the values lack."""

    def __init__(self, samples: Iterable[Sample], time_s: float, lost: int) -> None:
        super().__init__(samples)
        self.time_s = time_s
        self.lost = lost

    @property
    def value(self) -> Optional[float]:
        """The value of a metric that has one over all objects; ValueError if it has one for each of several."""
        if len(self) != 1:
            raise ValueError(f"found {len(self)} samples; a metric with one value over all objects has one")
        return self[0].value


class Measurement:
    """A metric that is read every so many seconds: an iterator, and an asynchronous one, of Reading.

    Of a running session it goes on until the caller stops; a caller that takes longer than the interval misses the
    moments that have passed. Of a recording, it reads at the same intervals of the recorded time, without waiting, to
    the end.
    """

    def __init__(self, metric: Any, every: float, span: Optional[Tuple[int, int]]) -> None:
        self._metric = metric
        self._every = every
        self._span = span  # begin and end of a recording, in nanoseconds; None of a running session
        self._begun = time.monotonic()
        self._readings = 0  # number of the next reading, which is at this multiple of the interval

    @property
    def unit(self) -> str:
        """Such as "s" or "%"; empty for a plain number."""
        return self._metric.unit

    def _next_moment(self, begin: int, end: int) -> Optional[int]:
        """The moment of a recording to read at; None at the end."""
        at = begin + int(self._readings * self._every * 1e9)
        before = begin + int((self._readings - 1) * self._every * 1e9)
        return None if self._readings and before >= end else min(at, end)

    def _read(self) -> Optional[Reading]:
        if self._span is None:
            passed = int((time.monotonic() - self._begun) / self._every)
            self._readings = max(self._readings, passed) + 1
            samples, lost = self._metric.read(None)
            return Reading(map(Sample._make, samples), time.monotonic() - self._begun, lost)
        moment = self._next_moment(*self._span)
        if moment is None:
            return None
        self._readings += 1
        samples, lost = self._metric.read(moment)
        return Reading(map(Sample._make, samples), (moment - self._span[0]) / 1e9, lost)

    def _pause(self) -> float:
        """Seconds until the next reading of a running session."""
        if self._span is not None or not self._readings:
            return 0.0
        return max(0.0, self._begun + self._readings * self._every - time.monotonic())

    def __iter__(self) -> "Measurement":
        return self

    def __next__(self) -> Reading:
        time.sleep(self._pause())
        reading = self._read()
        if reading is None:
            raise StopIteration
        return reading

    def __aiter__(self) -> "Measurement":
        return self

    async def __anext__(self) -> Reading:
        await asyncio.sleep(self._pause())
        reading = await asyncio.get_running_loop().run_in_executor(None, self._read)
        if reading is None:
            raise StopAsyncIteration
        return reading

    def to_pandas(self, most: Optional[int] = None) -> Any:
        """The samples of the next `most` readings, or of all of a recording, as a pandas.DataFrame."""
        import pandas

        if most is None and self._span is None:
            raise ValueError("a running session has no last reading; say how many readings to take")
        if most is not None:
            most = arguments.count("most", most)
        rows = []
        while most is None or most > 0:
            reading = next(self, None)
            if reading is None:
                break
            rows.extend({"time_s": reading.time_s, **sample._asdict()} for sample in reading)
            most = None if most is None else most - 1
        return pandas.DataFrame(rows, columns=["time_s", *Sample._fields])

    def plot(self, most: Optional[int] = None, axes: Any = None) -> Any:
        """Draws the values over time, with matplotlib; returns the axes."""
        from eventspace import plots

        return plots.measurement(self.to_pandas(most), self.unit, axes)
