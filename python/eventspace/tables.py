"""Tables of results, and the matrix of communication."""

import html
from typing import Any, Dict, Iterable, Iterator, List, Sequence, Tuple

import numpy

Row = Dict[str, Any]


def html_table(columns: Sequence[str], rows: Sequence[Sequence[Any]], most: int = 100) -> str:
    """A table as HTML. All texts are escaped: names come from the observed program."""
    def cells(tag: str, values: Sequence[Any]) -> str:
        return "".join(f"<{tag}>{html.escape('' if value is None else str(value))}</{tag}>" for value in values)

    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows[:most])
    more = f"<p>and {len(rows) - most} more</p>" if len(rows) > most else ""
    return f"<table><thead><tr>{cells('th', columns)}</tr></thead><tbody>{body}</tbody></table>{more}"


class Table:
    """Rows of results: a sequence of dicts that all have the same keys."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self.rows: List[Row] = list(rows)

    @property
    def columns(self) -> List[str]:
        """The names of the columns."""
        return list(self.rows[0]) if self.rows else []

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __getitem__(self, index: int) -> Row:
        return self.rows[index]

    def to_pandas(self) -> Any:
        """A pandas.DataFrame of the rows."""
        import pandas

        return pandas.DataFrame(self.rows)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self.rows)} rows: {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        return html_table(self.columns, [list(row.values()) for row in self.rows])


class CommunicationMatrix:
    """Messages between the participants of a program.

    names: the participants, n of them, senders and receivers alike
    messages: numpy array (n, n) of uint64; messages[i, j] is the number of messages from names[i] to names[j]
    bytes: the same for the bytes in them
    """

    def __init__(self, rows: Sequence[Row]) -> None:
        self.names: List[str] = sorted({row["from"] for row in rows} | {row["to"] for row in rows}, key=_by_number)
        place = {name: index for index, name in enumerate(self.names)}
        self.messages = numpy.zeros((len(self.names), len(self.names)), dtype=numpy.uint64)
        self.bytes = numpy.zeros_like(self.messages)
        for row in rows:
            cell = place[row["from"]], place[row["to"]]
            self.messages[cell] += numpy.uint64(row["messages"])
            self.bytes[cell] += numpy.uint64(row["bytes"])

    def counts(self, of: str) -> numpy.ndarray:
        """The array `bytes` or `messages`."""
        if of not in ("bytes", "messages"):
            raise ValueError(f"of: found {of!r}; expected 'bytes' or 'messages'")
        return self.bytes if of == "bytes" else self.messages

    def to_pandas(self, of: str = "bytes") -> Any:
        """A pandas.DataFrame of `bytes` or `messages`: senders are the rows, receivers the columns."""
        import pandas

        return pandas.DataFrame(self.counts(of), index=self.names, columns=self.names)

    def plot(self, of: str = "bytes", axes: Any = None) -> Any:
        """Draws the matrix with matplotlib; returns the axes."""
        from eventspace import plots

        return plots.matrix(self, of, axes)

    def __repr__(self) -> str:
        return f"<communication of {len(self.names)}: {int(self.messages.sum())} messages, {int(self.bytes.sum())} bytes>"

    def _repr_html_(self) -> str:
        rows = [[name, *(int(cell) or "" for cell in row)] for name, row in zip(self.names, self.bytes)]
        return html_table(["bytes from / to", *self.names], rows)


def _by_number(name: str) -> Tuple[str, int]:
    """Orders "rank 2" before "rank 10"."""
    head = name.rstrip("0123456789")
    return head, int(name[len(head):] or 0)
