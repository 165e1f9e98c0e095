#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <eventspace/path.h>

namespace eventspace {

struct Plan;  // a loaded pathmap: pathmaps/plan/plan.h

namespace streams {
class BackEnd;
}

/// Session is the entry point of an application: it gives the application's threads their paths. When a
/// process joins, its objects in the pathmap are created: its elements, its segment with the trace elements,
/// and a tuple server if other processes use its elements.

class Session;

/// A thread of the pathmap. Owned by its Session, obtained from Session::thread and used only by the thread
/// that called it. Must not be used after the session is destroyed.
class SessionThread {
 public:
  ~SessionThread();
  SessionThread(const SessionThread&) = delete;
  SessionThread& operator=(const SessionThread&) = delete;

  [[nodiscard]] const std::string& name() const noexcept;
  /// Returns the path with this name in the pathmap. The first call builds it; later calls return the same
  /// object, which is valid as long as the session. Throws ConfigurationError, with the names of this
  /// thread's paths, for an unknown path. Does not wait for other processes: the first operation connects.
  ///
  /// In a session without a pathmap, the path to the element of this name on the session's server, which is
  /// started if none runs. All processes of the session on this machine share the element. It keeps 200
  /// tuples of one type, the type of the first tuple written, and a write to a full element waits. Throws
  /// ConfigurationError for a name that is empty, longer than 255 bytes or has control characters, and
  /// EnvironmentError if the server cannot be started. May wait for the server to start.
  Path& path(std::string_view name);
  /// The same for an element with other properties; `element.name` may differ from the path's name. An
  /// operation is refused if the element already exists with other properties. Throws ConfigurationError in a
  /// session with a pathmap, which describes the elements.
  Path& path(std::string_view name, const ElementConfig& element);
  /// Sets the application's progress, such as the step of its main loop. Event collectors put it into the
  /// records of later operations. Costs one store.
  void set_virtual_time(std::uint64_t value) noexcept;
  /// Empties the trace elements of this thread: of its paths and its probes, or of one path. See
  /// Session::empty_traces. Paths that share a spare trace element because the segment is full are emptied
  /// together. The second throws ConfigurationError if the thread lacks the path.
  void empty_traces() noexcept;
  void empty_traces(std::string_view path);

 private:
  friend class Session;
  struct State;
  explicit SessionThread(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

/// The participation of one process in a session.
///
///     auto session = Session::join("app.yaml", "p0");
///     auto& thread = session.thread("t17");  // called in the thread that the pathmap names t17
///     if (thread.path("north").write(tuple) != Status::ok) ...
///
/// The library starts at most three threads: the tuple server, if other processes use elements of this
/// process; the I/O thread of the messaging, if there are connections; and the authenticator, if the server
/// listens on TCP.
///
/// With connections over TCP the session has keys (docs/commands.md, "up and down"). If `up` or `run` has not
/// made them on this machine, the first process that joins makes them, and later processes find them.
///
/// Thread-safe, except for move and destruction. The destructor stops the server and closes the elements; no
/// thread may use a path of the session during or after it. A forked child cannot use the session; its copy
/// is left alone by the destructor.
class Session {
 public:
  struct Options {
    std::string name{};  ///< of the session; empty: see session_name
    /// Whether to record events. Overrides the pathmap's `collect: enabled` and $EVENTSPACE_COLLECT, whose
    /// value 0 switches recording off.
    std::optional<bool> collect{};
    /// The reaction to the loss of another process of the application.
    ///
    /// reconnect: operations wait for the process to come back, until their deadlines.
    /// end: for applications that cannot continue without all their processes. Present and later operations
    /// over the lost connection end with Status::closed. So do operations on an element of this process, or
    /// on a shared element, whose only other user is a thread of the lost process.
    WhenLost when_lost{WhenLost::reconnect};
  };

  /// Joins as process `process` of the pathmap. If it is empty, $EVENTSPACE_PROCESS, or the only process of
  /// the pathmap, is used. Does not wait for the other processes, which may join later.
  ///
  /// Throws ConfigurationError for a faulty pathmap or an unknown process, EnvironmentError if the segment
  /// cannot be created, the server's port is taken, or the process is already in this session. A session that
  /// it joined before continues then.
  static Session join(const std::filesystem::path& pathmap, const std::string& process,
                      const Options& options);
  static Session join(const std::filesystem::path& pathmap, const std::string& process = "") {
    return join(pathmap, process, Options{});
  }
  /// Like the above, with a loaded plan. The session shares its ownership.
  static Session join(const std::shared_ptr<const Plan>& plan, const std::string& process,
                      const Options& options);
  /// Joins according to the environment variables EVENTSPACE_PATHMAP, EVENTSPACE_PROCESS and
  /// EVENTSPACE_SESSION, which `eventspace run` sets. Without EVENTSPACE_PATHMAP, opens the session
  /// EVENTSPACE_SESSION. Throws ConfigurationError if neither is set.
  static Session from_environment();

  struct OpenOptions {
    /// The name of the process, at most 63 bytes; empty means $EVENTSPACE_PROCESS, or "PROGRAM:PID" without
    /// that. Names need not be unique: a session distinguishes its processes by their ids.
    std::string process{};
    std::string node{};             ///< empty: $EVENTSPACE_NODE, or without that the name of the host
    std::optional<bool> collect{};  ///< as in Options
    /// The rank of the process in MPI_COMM_WORLD, less than 2^20, if it belongs to an MPI job.
    std::optional<std::uint32_t> rank{};
    /// The number of that job, from 1; jobs that MPI_Comm_spawn starts have higher numbers.
    std::uint32_t job{1};
  };
  /// Joins the session `name` of this machine without a pathmap. The first process of the session does the
  /// same as the others. Its threads are the threads that name themselves (thread()), and each thread that
  /// passes a probe (include/eventspace/probe.h). Their paths lead to elements of the session's
  /// server, see SessionThread::path.
  ///
  ///     auto session = Session::open("solver");
  ///     session.thread("main");              // optional: a name for the calling thread
  ///     EVENTSPACE_PROBE("iteration", i);    // `eventspace events solver` shows it
  ///
  /// `name` may also name a session with a pathmap, which shows the process if its scopes have `unplanned:
  /// true`.
  ///
  /// Throws ConfigurationError for an invalid session name, or a rank or job that is out of range, and
  /// EnvironmentError if the segment cannot be created.
  static Session open(const std::string& name, const OpenOptions& options);
  static Session open(const std::string& name) { return open(name, OpenOptions{}); }

  ~Session();
  Session(Session&& other) noexcept;

  [[nodiscard]] const Plan& plan() const noexcept;
  [[nodiscard]] const std::string& name() const noexcept;
  [[nodiscard]] const std::string& process() const noexcept;
  /// Returns the names of the threads that the pathmap places in this process.
  [[nodiscard]] std::vector<std::string> threads() const;

  /// Attaches to the network of streams that a front-end has opened for this session, waits and throws as
  /// open_back_end (<eventspace/session_network.h>) does. In a session with a pathmap the back-end has the
  /// rank of this process (network_of), otherwise a free rank. It may outlive the session. `network`: its
  /// name; empty means the session's only network.
  [[nodiscard]] std::unique_ptr<streams::BackEnd> back_end(Deadline deadline,
                                                           const std::string& network = {}) const;

  /// Makes the calling thread the pathmap's thread `name`. A repeated call from the same thread returns the
  /// same object. Throws ConfigurationError if the name is unknown, belongs to another process, or is in use
  /// by another thread, even if that has ended.
  ///
  /// Without a pathmap, adds a thread of this name, 1 to 255 bytes of UTF-8 without control characters;
  /// monitors show it as "PROCESS/NAME". If the segment is full, the thread does not record.
  SessionThread& thread(std::string_view name);

  /// Switches the event collectors of this process on or off. Applies to operations that begin later. Has no
  /// effect if the session was joined without collecting.
  void set_collecting(bool on) noexcept;
  /// Returns the number of events recorded by this process so far, over its trace elements in the plan;
  /// without the probes of the program (include/eventspace/probe.h).
  [[nodiscard]] std::uint64_t events_recorded() const;
  /// Returns the number of discarded events: each trace element keeps only its newest `threshold` events.
  /// Emptied events do not count.
  [[nodiscard]] std::uint64_t events_discarded() const;
  /// Empties the trace elements of this process: later reads do not yield the events that ended so far, and
  /// readers count unread ones as Loss::emptied. Operations in flight stay. Trace elements in other
  /// processes, at the far ends of paths, belong to those processes and stay unchanged. Does not wait for
  /// recording threads, nor do these wait. Has no effect if the session was joined without collecting, and in
  /// a forked child.
  void empty_traces() noexcept;
  /// Ends the waiting operations of this process's threads, and of other processes on elements of this
  /// process, with Status::closed; later operations end the same way. A thread that waits for another process
  /// returns within a second. Does not cancel requests under way: a write to an element of another process
  /// may still be stored there although its writer receives Status::closed.
  void close();

 private:
  friend class SessionThread;
  struct State;
  explicit Session(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

/// Returns the name of the session: `given`; if it is empty, $EVENTSPACE_SESSION; if that is not set, the
/// name of the plan.
std::string session_name(const Plan& plan, const std::string& given);

}  // namespace eventspace
