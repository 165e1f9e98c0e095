#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <eventspace/deadline.h>
#include <eventspace/events.h>

namespace eventspace {

/// Which events of a session to read. The processes and servers that hold the events select them, so that
/// only these are sent. Plain data.
///
///     monitor.events({.where = "verb == 'take' and duration > 20ms", .threads = "worker*", .last = 100});
struct EventQuery {
  std::string where{};    ///< a condition (docs/expressions.md); empty: all events
  std::string threads{};  ///< a glob over the names of threads; empty: all
  std::string paths{};    ///< a glob over the names of paths; empty: all
  /// Begin with events that ended at most this long before the first pull; nullopt: with the oldest that is
  /// kept. Of a recording, before the moment of the first pull.
  std::optional<std::chrono::nanoseconds> since{};
  /// Only this many events of each pull, those that ended last; 0: all. Operations in flight are not counted.
  std::size_t last{0};
  /// Also yield operations that have begun and not ended, each once. Implied if `where` names `in_flight`.
  bool in_flight{false};
  /// Read each operation at all points of its path where it is recorded, as several events. Otherwise only at
  /// the first one, unless `where` names `point`.
  bool all_points{false};
};

/// A scope of a Monitor: each pull returns the events that the previous pulls have not returned, or, for a
/// scope that reads the newest events (`read: newest`), the newest event of each path and those in flight.
///
/// Shares the session with its Monitor, which it may outlive. Not thread-safe: one thread at a time uses a
/// Monitor and all of its scopes.
class Scope {
 public:
  ~Scope();
  Scope(Scope&& other) noexcept;
  Scope& operator=(Scope&& other) noexcept;

  [[nodiscard]] const std::string& name() const noexcept;

  /// Reads once. Blocks until all sources have answered, at most until `deadline`, or, without one, for the
  /// scope's time-out (1 s if the pathmap does not have one). Sources that did not answer in time are in
  /// Events::missing, which is not an error. A pull that finds no event returns at once. It takes a limited
  /// number of events, by default 1000 of each path: pull again while Events::has_more.
  ///
  /// Of a recording: reads the events that had ended by its end, at most about 2^20 at a time
  /// (Events::has_more), in this thread; there is no deadline.
  [[nodiscard]] Events pull();
  [[nodiscard]] Events pull(Deadline deadline);
  /// Of a recording: reads the events that had ended by `realtime_ns`, in nanoseconds since 1970; a scope of
  /// the newest events shows the session as it was then. Throws ConfigurationError for a running session.
  [[nodiscard]] Events pull_at(std::int64_t realtime_ns);

 private:
  friend class Monitor;
  friend class MetricReader;
  struct State;
  explicit Scope(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

/// Reads the events of a session while it runs, or of a recording: the same object for both. A process may
/// have any number of monitors; they come and go while the application runs, and do not change it. A monitor
/// may run in a process of the application.
///
///     Monitor monitor = Monitor::of_pathmap("app.yaml");
///     Scope scope = monitor.open("events");
///     for (const Event& event : scope.pull()) std::cout << event.thread() << ' ' << event.verb() << '\n';
///
/// Processes and servers that are down are no error: connections are made when first used, and renewed when
/// lost. Not thread-safe: one thread at a time uses a Monitor and all of its scopes. Events may be given to
/// other threads.
class Monitor {
 public:
  /// The running session `name`, whose processes have no pathmap: on this machine, on the machines of its job
  /// (`eventspace run --shared`), or on the machine of the observer's token in $EVENTSPACE_KEYS. Waits up to
  /// 5 s for machines of a job; otherwise does not wait. Throws ConfigurationError for an invalid name, and
  /// EnvironmentError, with advice, if there is no such session.
  static Monitor of_session(const std::string& name);
  /// The session of a pathmap, whether it runs already or not. `session`: its name; empty:
  /// $EVENTSPACE_SESSION, or the name in the pathmap. Throws ConfigurationError, with one line for each
  /// fault, for a faulty pathmap.
  static Monitor of_pathmap(const std::filesystem::path& file, const std::string& session = {});
  /// A recording. Throws EnvironmentError if the file cannot be read or is not a recording, and
  /// ConfigurationError if its pathmap has faults.
  static Monitor of_recording(const std::filesystem::path& file);

  ~Monitor();
  Monitor(Monitor&& other) noexcept;
  Monitor& operator=(Monitor&& other) noexcept;

  [[nodiscard]] const std::string& session() const noexcept;
  [[nodiscard]] bool is_recorded() const noexcept;
  /// Sentences for the user about parts of the session that are not observed, such as unreachable machines.
  [[nodiscard]] const std::vector<std::string>& warnings() const noexcept;

  /// The names of the scopes that yield events. A session without a pathmap has `events` and `heartbeat`, the
  /// newest event of each thread. Scopes that turn events into numbers are left out: see
  /// <eventspace/metric.h>.
  [[nodiscard]] std::vector<std::string> scopes() const;
  /// Opens a scope of the pathmap by its name. Each call opens another scope, with its own positions. Throws
  /// ConfigurationError, with the known names, for a name that is not in scopes().
  [[nodiscard]] Scope open(const std::string& scope);
  /// Opens a scope of all recorded events that match. Throws ConfigurationError for a faulty condition or
  /// pattern, a pattern that matches no thread or path of the pathmap, or if the file of the pathmap, which
  /// is read again, describes another application now.
  [[nodiscard]] Scope open(const EventQuery& query);
  /// Reads the matching events that are kept now, of a recording all, into memory: use Scope::pull to follow
  /// a session, and Recording::events to read a large recording in pieces. Blocks until all sources have
  /// answered, at most until `deadline`, which a recording ignores. Throws as open() does.
  [[nodiscard]] Events events(const EventQuery& query, Deadline deadline);
  [[nodiscard]] Events events(const EventQuery& query = {});  ///< with a deadline of 10 s

 private:
  struct State;
  explicit Monitor(std::shared_ptr<State> state) noexcept;
  friend class Scope;
  friend class MetricReader;
  std::shared_ptr<State> state_;
};

}  // namespace eventspace
