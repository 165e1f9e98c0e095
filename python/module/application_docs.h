#pragma once

// The documentation strings of the classes of an application.
namespace eventspace::python::doc {

inline constexpr const char* session = R"(The participation of this process in a session.

    with eventspace.Session.join("app.yaml", "p0") as session:
        session.thread("t0").path("put").write((1, "wheel"))

Any thread may use it. A forked child cannot.)";

inline constexpr const char* join = R"(Joins the session of a pathmap as one of its processes.

pathmap: its file; without one, the session that `eventspace run` has put into the environment
process: its name in the pathmap; empty: $EVENTSPACE_PROCESS, or the only process
session: the session's name; empty: $EVENTSPACE_SESSION, or the pathmap's name
collect: whether to record events; None: as the pathmap says
end_when_lost: operations end with Closed when a process of the application is lost; otherwise they wait for it

Raises ConfigurationError for a faulty pathmap or an unknown process, and EnvironmentError if the machine refuses.)";

inline constexpr const char* open = R"(Joins a session without a pathmap by its name.

process, node: names for this process and machine; empty: chosen
collect: whether to record events; None: yes, unless $EVENTSPACE_COLLECT is 0
rank: of the process in its MPI job, if it belongs to one)";

inline constexpr const char* thread_of_session =
    R"(Makes the calling thread the session's thread of this name.

Without a pathmap, adds a thread of this name. Raises ConfigurationError, with the known names, for an unknown one, or
if another thread has it.)";

inline constexpr const char* close = R"(Leaves the session.

Waiting operations of other threads end with Closed, and later ones too. Closing again does nothing.)";

inline constexpr const char* empty_traces =
    R"(Forgets the events that were recorded so far; readers count them as `emptied`.)";

inline constexpr const char* thread = R"(A thread of a session, for the Python thread that got it.)";

inline constexpr const char* path_of_thread = R"(The path with this name in the pathmap.

Without a pathmap, the path to the element of this name on the session's server, which is started if none runs.
Raises ConfigurationError, with the names of this thread's paths, for an unknown one.)";

inline constexpr const char* virtual_time =
    R"(Sets the progress of the application, such as the step of its main loop, which later events have.)";

inline constexpr const char* path = R"(Access of one thread to one element of the tuple space.

Tuples are tuples or lists of bool, int (64 bits), float, str and bytes, of the types that the element has. Timeouts
are seconds; None waits without limit. Waiting does not hold up other Python threads, and KeyboardInterrupt ends it: the
operation is then given up, as at its timeout, which takes up to 2 s if the element is in a server.

All functions raise Closed if the session was closed or the element cannot be reached, Refused if the element refuses
the tuple, and TimedOut after the timeout. Only the thread that got the path may use it.)";

inline constexpr const char* write =
    R"(Appends a tuple to the element; waits while that is full, if it is one that waits.)";

inline constexpr const char* try_write =
    R"(Appends a tuple to the element; returns False if that is full now.)";

inline constexpr const char* take = R"(Removes and returns the first tuple; waits until there is one.

match: a template: a value, or a type for any value of it, for each field, such as (int, "wheel"). Only tuples that
    match are taken.
start: where to begin, "oldest" or "newest")";

inline constexpr const char* read =
    R"(Returns the first tuple, which stays; waits until there is one. Arguments as for take.)";

inline constexpr const char* try_take =
    R"(Removes and returns the first tuple; None if there is none now. Arguments as for take.)";

inline constexpr const char* try_read =
    R"(Returns the first tuple, which stays; None if there is none now. Arguments as for take.)";

inline constexpr const char* next =
    R"(Reads the tuple after the one that the last next() of this object returned.

The first call reads the oldest. `missed` of the result counts the tuples in between that a full element has dropped.)";

inline constexpr const char* read_at =
    R"(Reads the tuple with this number; waits until it is written. Raises Gone if it is no longer kept.)";

inline constexpr const char* exchange =
    R"(Takes part in a collective operation, and returns its result; waits for all others.

values: the contribution, if the kind of the collective has one. A participant that gives up, by its timeout or a
    KeyboardInterrupt, breaks the collective: all others get Closed, with a text that names it.)";

inline constexpr const char* discard = R"(Drops all tuples up to the one with this number.)";

inline constexpr const char* pack =
    R"(Packs several tuples into one, which the root of a scatter contributes.)";

inline constexpr const char* unpack = R"(The tuples in one that the root of a gather received.)";

}  // namespace eventspace::python::doc
