"""EventSpace: observe the communication of parallel programs while they run, and take part in it.

Read a recording or a running session; both give the same object (Observed):

    import eventspace
    run = eventspace.open("run.evs")              # or eventspace.session("job")
    events = run.events(where="duration > 1ms")   # columns, as numpy arrays
    frame = events.to_pandas()
    print(run.heartbeat())

Be an application, whose threads use paths and pass probes:

    with eventspace.Session.join("app.yaml", "p0") as session:
        session.thread("t0").path("put").write((1, "wheel"))
        with eventspace.region("solve"):
            ...

docs/python.md is the how-to. Times are seconds, as floats, unless a name ends in `_ns`: then they are nanoseconds.
"""

from eventspace import streams
from eventspace._eventspace import Path, Region, Session, Thread, pack, region, unpack
from eventspace._version import __version__
from eventspace.application import Received, probe
from eventspace.errors import (Closed, ConfigurationError, EnvironmentError, Error, Gone, Refused, TimedOut, UsageError)
from eventspace.events import Events, Unread
from eventspace.measuring import Measurement, Reading, Sample
from eventspace.observed import Observed, Scope, open, pathmap, session
from eventspace.tables import CommunicationMatrix, Table
from eventspace.verdicts import Collectives, Heartbeat, Profile, ThreadVerdict

__all__ = [
    "Closed", "Collectives", "CommunicationMatrix", "ConfigurationError", "EnvironmentError", "Error", "Events", "Gone",
    "Heartbeat", "Measurement", "Observed", "Path", "Profile", "Reading", "Received", "Refused", "Region", "Sample",
    "Scope", "Session", "Table", "Thread", "ThreadVerdict", "TimedOut", "Unread", "UsageError", "__version__", "open", "pack",
    "pathmap", "probe", "region", "session", "streams", "unpack",
]
