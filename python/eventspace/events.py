"""Events as columns."""

from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

import numpy

_NO_INTEGER = numpy.iinfo(numpy.int64).min
# Values, which events lack the field or None, and the names of codes or None.
_Column = Tuple[numpy.ndarray, Optional[numpy.ndarray], Optional[List[str]]]
_MOMENTS = {"start_ns": "start", "end_ns": "end", "start_here_ns": "start_here"}


class Unread(NamedTuple):
    """A part of the session that could not be read, and why."""

    node: str
    what: str  # such as "server of node n2" or "process p1"
    cause: str
    detail: str
    sources: int  # number of trace elements


class Events:
    """Events of a session or recording as columns of equal length, which outlive what they were read from.

    events["bytes"] is the numpy array of a field, with one element for each event. Types and units:

        start_ns, end_ns, start_here_ns     datetime64[ns], UTC; NaT if not known, or in flight
        error_ns                            int64, nanoseconds; the smallest integer if there is no bound
        duration, age                       float64, nanoseconds; NaN if missing
        numbers                             uint64 or float64; see missing()
        in_flight                           bool
        texts                               str objects; None if missing. codes() has them as small integers

    The fields and their meanings are those of conditions (docs/expressions.md, "Fields").
    """

    def __init__(self, raw: Dict[str, Any]) -> None:
        self._columns: Dict[str, _Column] = raw["columns"]
        self._size: int = raw["size"]
        self.losses: Dict[str, int] = raw["loss"]
        self.unread = [Unread(*one) for one in raw["unread"]]
        self.has_more: bool = raw.get("has_more", False)

    def __len__(self) -> int:
        return self._size

    def __contains__(self, field: object) -> bool:
        return field in self._columns

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    @property
    def fields(self) -> List[str]:
        """The names of the columns: the fields that at least one event has."""
        return list(self._columns)

    @property
    def nbytes(self) -> int:
        """The memory of all columns, in bytes."""
        return sum(values.nbytes + (0 if mask is None else mask.nbytes) for values, mask, _ in self._columns.values())

    def _column(self, field: str) -> _Column:
        try:
            return self._columns[field]
        except KeyError:
            raise KeyError(f"no event has the field '{field}'; the fields are {', '.join(self._columns)}") from None

    def __getitem__(self, field: str) -> numpy.ndarray:
        values, _, names = self._column(field)
        if names is None:
            return values
        return numpy.array([*names, None], dtype=object)[values]

    def codes(self, field: str) -> numpy.ndarray:
        """The texts of a field as indices of names(), -1 where an event lacks the field."""
        values, _, names = self._column(field)
        if names is None:
            raise ValueError(f"the field '{field}' has numbers, not texts")
        return values

    def names(self, field: str) -> List[str]:
        """The texts to which codes() refer. Objects with equal names have one code."""
        self.codes(field)
        return list(self._column(field)[2] or ())

    def missing(self, field: str) -> numpy.ndarray:
        """Which events lack the field: a numpy array of bool."""
        values, mask, names = self._column(field)
        if mask is not None:
            return mask
        if names is not None:
            return values < 0
        if values.dtype.kind == "f":
            return numpy.isnan(values)
        if values.dtype.kind == "M":
            return numpy.isnat(values)
        return values == _NO_INTEGER if values.dtype.kind == "i" else numpy.zeros(len(values), dtype=bool)

    def to_pandas(self) -> Any:
        """A pandas.DataFrame that shares the memory of these columns.

        Texts are categoricals. `start`, `end` and `start_here` are timestamps in UTC; `duration`, `age` and what ends
        in `_ns` are nanoseconds. Whole numbers that some events lack have the types UInt64 and Int64.
        """
        import pandas

        data = {_MOMENTS.get(field, field): self._series(pandas, field) for field in self._columns}
        return pandas.DataFrame(data, copy=False)

    def _series(self, pandas: Any, field: str) -> Any:
        values, mask, names = self._column(field)
        if names is not None:
            return pandas.Categorical.from_codes(values, categories=names)
        if values.dtype.kind == "M":
            return pandas.arrays.DatetimeArray(values, dtype=pandas.DatetimeTZDtype("ns", "UTC"))
        if values.dtype.kind == "i":
            mask = values == _NO_INTEGER
            return pandas.arrays.IntegerArray(values, mask) if mask.any() else values
        if mask is None:
            return values
        if values.dtype.kind == "b":
            return pandas.arrays.BooleanArray(values, mask)
        return pandas.arrays.IntegerArray(values, mask)

    def __repr__(self) -> str:
        return f"<{self._size} events with {len(self._columns)} fields: {', '.join(self._columns)}>"
