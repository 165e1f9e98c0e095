"""Sessions and recordings as they are observed."""

import datetime
import html
import os
from typing import Any, Callable, Dict, Optional, Sequence, Union

from eventspace import _eventspace, arguments
from eventspace.errors import ConfigurationError
from eventspace.events import Events
from eventspace.measuring import Measurement
from eventspace.tables import CommunicationMatrix, html_table
from eventspace.verdicts import Collectives, Heartbeat, Profile

File = Union[str, "os.PathLike[str]"]


def open(file: File) -> "Observed":
    """Opens a recording (`eventspace record`, `eventspace run --record`).

    Raises EnvironmentError if the file cannot be read or is not a recording.
    """
    return Observed(_eventspace.Kind.recording, arguments.file("file", file))


def session(name: str) -> "Observed":
    """Opens a running session without a pathmap by its name: of this machine, or of its job's machines.

    Raises ConfigurationError for an invalid name, and EnvironmentError, with advice, if there is no such session.
    """
    return Observed(_eventspace.Kind.session, arguments.name("name", name))


def pathmap(file: File, session: str = "") -> "Observed":
    """Opens the session of a pathmap, whether it runs already or not. `session`: its name, if not the pathmap's.

    Raises ConfigurationError, with a line for each fault, for a faulty pathmap.
    """
    return Observed(_eventspace.Kind.pathmap, arguments.file("file", file), arguments.text("session", session))


def _query(where: str, threads: str, paths: str, last: int, since: Optional[float], in_flight: bool,
           all_points: bool) -> Dict[str, Any]:
    return {"where": arguments.text("where", where), "threads": arguments.text("threads", threads),
            "paths": arguments.text("paths", paths), "last": arguments.count("last", last),
            "since": arguments.seconds_or_none("since", since), "in_flight": bool(in_flight),
            "all_points": bool(all_points)}


def _refuse_filters(scope: str, query: Dict[str, Any]) -> None:
    absent = _query("", "", "", 0, None, False, False)
    for argument, value in query.items():
        if value != absent[argument]:
            raise ConfigurationError(f"{argument}: the scope '{scope}' has its own filters; leave out the name of the "
                                     "scope or this argument")


class Observed:
    """A recording or a running session: the same interface for both. Reading it changes nothing in the program.

    Several threads may use it; their calls take turns. Close it, use it in a `with` statement, or drop it. What it
    returned stays valid.
    """

    def __init__(self, kind: _eventspace.Kind, named: str, of_pathmap: str = "") -> None:
        self._kind = kind
        self._named = named
        self._source = _eventspace.Source(kind, named, of_pathmap)
        self._losses: Dict[str, int] = {}

    @property
    def name(self) -> str:
        """The name of the session."""
        return self._source.facts()["session"]

    @property
    def is_recorded(self) -> bool:
        """Whether it is a recording."""
        return self._kind == _eventspace.Kind.recording

    @property
    def info(self) -> Dict[str, Any]:
        """Facts, as a dict: `session`, `scopes`, `warnings`; of a recording also `begin` and `end` (datetimes, UTC),
        `begin_ns` and `end_ns`, `seconds`, `ending`, `is_being_written`, `damage`, `lost_records`, `pathmap`,
        `processes` (name, node, pid, state)."""
        facts = self._source.facts()
        facts.pop("loss", None)
        if self.is_recorded:
            facts["seconds"] = (facts["end_ns"] - facts["begin_ns"]) / 1e9
            facts["begin"] = _moment(facts["begin_ns"])
            facts["end"] = _moment(facts["end_ns"])
        return facts

    @property
    def losses(self) -> Dict[str, int]:
        """How many events are missing, by cause, as a dict: of a recording those that its recorder did not get, of a
        running session those that events() and scopes of this object did not get so far."""
        if self.is_recorded:
            return self._source.facts().get("loss", {})
        return dict(self._losses)

    def _note(self, events: Events) -> Events:
        for cause, count in events.losses.items():
            self._losses[cause] = self._losses.get(cause, 0) + count
        return events

    def events(self, where: str = "", *, threads: str = "", paths: str = "", last: int = 0,
               since: Optional[float] = None, in_flight: bool = False, all_points: bool = False,
               fields: Sequence[str] = (), timeout: float = 10.0) -> Events:
        """Reads the events that are kept now, of a recording all, as columns (Events).

        where: a condition (docs/expressions.md), such as "verb == 'take' and duration > 20ms". It is evaluated where
            the events are, so that only these are sent.
        threads, paths: globs over names
        last: only so many events, those that ended last; 0: all
        since: only events that ended at most so many seconds ago, of a recording before its end
        in_flight: also operations that have begun and not ended
        all_points: each operation at all points of its path where it is recorded
        fields: the columns to make; without any, one for each field that an event has, but `age`, and `in_flight`
            unless these events are wanted
        timeout: seconds to wait for the servers of a running session

        Raises ConfigurationError for a faulty condition, pattern or field.
        """
        query = _query(where, threads, paths, last, since, in_flight, all_points)
        columns, limit = arguments.texts("fields", fields), arguments.seconds("timeout", timeout)
        return self._note(Events(self._source.events(query, columns, limit)))

    def scope(self, name: Optional[str] = None, *, where: str = "", threads: str = "", paths: str = "",
              since: Optional[float] = None, in_flight: bool = False, fields: Sequence[str] = (),
              reduce: Optional[Callable[[Events], Any]] = None) -> "Scope":
        """Opens a scope of the pathmap by its name, or of all events that match: each pull returns the events that
        are new since the pull before. A scope that has a name has its own filters, so that `where` and the other
        filters are for scopes without one; they raise ConfigurationError otherwise.

        reduce: a function that turns the Events of a pull into anything, which pull() then returns: a reduction at
            the front-end.
        """
        query = _query(where, threads, paths, 0, since, in_flight, False)
        if reduce is not None and not callable(reduce):
            raise TypeError(f"reduce: found {reduce!r}; expected a function")
        if name is not None:
            _refuse_filters(arguments.text("name", name), query)
        return Scope(self, self._source.open_scope(name, query, arguments.texts("fields", fields)), reduce)

    def heartbeat(self, stall: float = 2.0, *, at: Optional[float] = None, threads: str = "") -> Heartbeat:
        """Judges each thread (Heartbeat), as `eventspace heartbeat --once`: takes a quarter of a second.

        stall: a thread without an event for so many seconds is stalled
        at: of a recording, the moment to judge, in seconds since its beginning; None: its end
        threads: a glob over names
        """
        return Heartbeat(self._source.heartbeat(arguments.some_seconds("stall", stall), arguments.seconds_or_none("at", at),
                                                arguments.text("threads", threads)))

    def collectives(self, only: Union[str, Sequence[str]] = (), *, duration: float = 0.0, each: bool = True,
                    total: bool = False) -> Collectives:
        """The collective operations (Collectives), as `eventspace collectives --each`: of a recording all, of a running
        session those that are kept now, and those of the next `duration` seconds.

        only: names of collectives, or globs over communicators of an MPI job; without any, all
        each: False: the rows of the table of `eventspace collectives` instead of each operation
        total: the figures of `eventspace collectives --total` instead of either
        """
        names = [only] if isinstance(only, str) else arguments.texts("only", only)
        return Collectives(self._source.collectives(names, arguments.seconds("duration", duration), bool(each),
                                                    bool(total)))

    def profile(self, *, duration: float = 0.0, threads: str = "", where: str = "") -> Profile:
        """Where the time of the program goes (Profile), as `eventspace profile`: from the events of a recording, or
        those that are kept now and the ones of the next `duration` seconds."""
        return Profile(self._source.profile(arguments.seconds("duration", duration), arguments.text("threads", threads),
                                            arguments.text("where", where)))

    def communication_matrix(self, *, duration: float = 0.0) -> CommunicationMatrix:
        """The messages between the participants (CommunicationMatrix), from profile()."""
        return self.profile(duration=duration).communication_matrix()

    def measure(self, metric: str, every: float = 1.0, *, text: str = "", files: Sequence[File] = (), each: str = "",
                objects: str = "", partners: str = "", regions: str = "", since_last: bool = False,
                per_second: bool = False) -> Measurement:
        """Measures a metric (docs/metrics.md) every so many seconds: returns an iterator, also an asynchronous one.

        metric: its name: a metric of `text` or `files`, or one that comes with EventSpace
        text, files: definitions of further metrics
        each: "objects", "partners" or "regions": a value for each of these; "": as defined
        objects, partners, regions: globs over their names
        since_last: values about the time since the last reading instead of since the start
        per_second: values divided by the seconds of that time
        """
        every = arguments.some_seconds("every", every)
        if arguments.text("each", each) not in ("", "objects", "partners", "regions"):
            raise ValueError(f"each: found '{each}'; expected 'objects', 'partners', 'regions' or ''")
        query = {"metric": arguments.name("metric", metric), "text": arguments.text("text", text),
                 "files": arguments.files("files", files), "each": each or "",
                 "objects": arguments.text("objects", objects), "partners": arguments.text("partners", partners),
                 "regions": arguments.text("regions", regions), "since_last": bool(since_last),
                 "per_second": bool(per_second)}
        facts = self._source.facts() if self.is_recorded else None
        span = (facts["begin_ns"], facts["end_ns"]) if facts else None
        return Measurement(self._source.open_metric(query), every, span)

    def close(self) -> None:
        """Closes it; later calls raise Closed. Closing again does nothing. Scopes and measurements that were opened
        before go on, and end when they are dropped."""
        self._source.close()

    def __enter__(self) -> "Observed":
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        if self._source.is_closed:
            return f"<closed: {self._named}>"
        return f"<{'recording' if self.is_recorded else 'session'} {self._named}>"

    def _repr_html_(self) -> str:
        if self._source.is_closed:
            return f"<p>{html.escape(repr(self))}</p>"
        facts = {name: value for name, value in self.info.items() if name not in ("pathmap", "begin_ns", "end_ns")}
        return html_table(["fact", "value"], list(facts.items()))


class Scope:
    """Reads the events that are new, again and again; an iterator of pulls, which ends with a recording. Shares the
    session with its Observed, which it may outlive."""

    def __init__(self, observed: Observed, scope: _eventspace.OpenScope,
                 reduce: Optional[Callable[[Events], Any]]) -> None:
        self._observed = observed
        self._scope = scope
        self._reduce = reduce
        self._is_over = False

    def pull(self, timeout: Optional[float] = None) -> Any:
        """Reads once: returns Events, or what `reduce` makes of them. Waits until all sources have answered, at most
        for `timeout` seconds, or without one for the scope's; sources that did not answer are in Events.unread."""
        limit = arguments.seconds_or_none("timeout", timeout)
        events = self._observed._note(Events(self._scope.pull(limit)))
        self._is_over = self._observed.is_recorded and not events.has_more
        return events if self._reduce is None else self._reduce(events)

    def __iter__(self) -> "Scope":
        return self

    def __next__(self) -> Any:
        if self._is_over:
            raise StopIteration
        return self.pull()


def _moment(ns: int) -> datetime.datetime:
    return datetime.datetime.fromtimestamp(ns / 1e9, datetime.timezone.utc)
