"""Verdicts of the heartbeat, collective operations, and profiles: the results of `eventspace heartbeat`, `collectives`
and `profile`, with the members that docs/json.md describes."""

import json
from typing import Any, Dict, List, Optional, Tuple

from eventspace.tables import CommunicationMatrix, Table, html_table


def _objects(lines: str) -> List[Dict[str, Any]]:
    return [json.loads(line) for line in lines.splitlines()]


class ThreadVerdict:
    """The health of one thread.

    thread: its name
    verdict: a word such as "running", "stuck", "ended" or "dead" (docs/commands.md, "Verdicts")
    stalled: whether the verdict counts as stalled
    silent_s, in_flight_s: seconds since its last event, and since its operation in flight began; None if not known
    in_flight, last: the operation in flight and the last one that ended, as dicts; None without one
    last_ended_ns: when the last one ended, in nanoseconds since 1970; None if not known
    absent_from: its paths to collectives to which it has not come, while others wait there
    detail: more about the verdict; empty without more
    """

    def __init__(self, member: Dict[str, Any]) -> None:
        self.thread: str = member["thread"]
        self.verdict: str = member["verdict"]
        self.stalled: bool = member["stalled"]
        self.silent_s: Optional[float] = member["silent_s"]
        self.in_flight_s: Optional[float] = member["in_flight_s"]
        self.in_flight: Optional[Dict[str, Any]] = member["in_flight"]
        self.last: Optional[Dict[str, Any]] = member["last"]
        self.last_ended_ns: Optional[int] = member["last_ended_ns"]
        self.absent_from: List[str] = member["absent_from"]
        self.detail: str = member.get("detail", "")

    def __repr__(self) -> str:
        doing = f" in {self.in_flight}" if self.in_flight else ""
        return f"<{self.thread}: {self.verdict}{doing}>"


class Heartbeat:
    """The verdicts on all threads at one moment.

    threads: a ThreadVerdict for each thread
    stalled: how many threads are stalled
    ended: whether all processes have ended in an orderly way
    culprits: threads that others wait for, and that wait for no thread: dicts with `thread`, `verdict`, `waiting`,
        `circle` and `absent_from`
    element_waits, mpi_stalls, delays, missing: as in docs/json.md, "heartbeat"
    """

    def __init__(self, lines: str) -> None:
        pull, *threads = _objects(lines)
        self.threads = [ThreadVerdict(member) for member in threads]
        self.stalled: int = pull["stalled"]
        self.ended: bool = pull["ended"]
        self.culprits: List[Dict[str, Any]] = pull["culprits"]
        self.element_waits: List[Dict[str, Any]] = pull["element_waits"]
        self.mpi_jobs: List[Dict[str, Any]] = pull["mpi_jobs"]
        self.mpi_stalls: List[Dict[str, Any]] = pull["mpi_stalls"]
        self.delays: Optional[Dict[str, Any]] = pull["delays"]
        self.missing: List[Dict[str, Any]] = pull["missing"]

    def __getitem__(self, thread: str) -> ThreadVerdict:
        """The verdict on the thread of this name."""
        for verdict in self.threads:
            if verdict.thread == thread:
                return verdict
        raise KeyError(thread)

    def to_pandas(self) -> Any:
        """A pandas.DataFrame with a row for each thread."""
        import pandas

        return pandas.DataFrame([vars(thread) for thread in self.threads])

    def __repr__(self) -> str:
        blamed = f"; others wait for {', '.join(culprit['thread'] for culprit in self.culprits)}" if self.culprits else ""
        return f"<{len(self.threads)} threads, {self.stalled} stalled{blamed}>"

    def _repr_html_(self) -> str:
        rows = [[one.thread, one.verdict, one.silent_s, _operation(one.in_flight), _operation(one.last), one.detail]
                for one in self.threads]
        return html_table(["thread", "verdict", "silent s", "in flight", "last", "detail"], rows)


def _operation(member: Optional[Dict[str, Any]]) -> str:
    if not member:
        return ""
    words = [str(member[key]) for key in ("verb", "call", "probe", "path") if member.get(key)]
    return " ".join(words)


class Collectives(Table):
    """The collective operations: a row for each, with the members of docs/json.md, "collectives".

    `last` is the thread that contributed last, and `waiting` how long all others together waited for it. With
    each=False, a row for each collective, operation and call site; with total=True, one for each figure.

    summary: with each=False the members of the line of type `summary`, about all rows together; else None
    """

    def __init__(self, lines: str) -> None:
        rows = _objects(lines)
        self.summary: Optional[Dict[str, Any]] = next((row for row in rows if row.get("type") == "summary"), None)
        super().__init__([row for row in rows if row is not self.summary])

    def late(self) -> List[Tuple[str, int]]:
        """How often each thread was certainly the last, the most often late first: a list of (thread, number)."""
        counts: Dict[str, int] = {}
        for row in self.rows:
            late = row.get("late", [{"name": row["last"], "last": 1}] if row.get("last") else [])
            for one in late:
                if one["last"] > 0:
                    counts[one["name"]] = counts.get(one["name"], 0) + one["last"]
        return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


class Profile:
    """Where the time of a program goes: tables whose columns docs/json.md describes under "profile". Times are seconds.

    threads, phases, calls, sizes, matrix, delays: a Table each
    """

    def __init__(self, lines: str) -> None:
        tables: Dict[str, List[Dict[str, Any]]] = {}
        for row in _objects(lines):
            tables.setdefault(row.pop("table"), []).append(row)
        self.threads = Table(tables.get("threads", []))
        self.phases = Table(tables.get("phases", []))
        self.calls = Table(tables.get("calls", []))
        self.sizes = Table(tables.get("sizes", []))
        self.matrix = Table(tables.get("matrix", []))
        self.delays = Table(tables.get("delays", []))

    def communication_matrix(self) -> CommunicationMatrix:
        """The table `matrix` as a matrix."""
        return CommunicationMatrix(self.matrix.rows)

    def plot(self, axes: Any = None) -> Any:
        """Draws how each thread spent its time, with matplotlib; returns the axes."""
        from eventspace import plots

        return plots.profile(self, axes)

    def __repr__(self) -> str:
        return f"<profile of {len(self.threads)} threads>"

    def _repr_html_(self) -> str:
        return self.threads._repr_html_()
