#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/event_collector.h"
#include "pathmaps/plan/plan.h"
#include "paths/links/network.h"
#include "paths/path.h"

namespace eventspace {

class Session;

/// One of the pathmap's threads, as the thread itself holds it. Used by that thread only.
class SessionThread {
 public:
  ~SessionThread();
  SessionThread(const SessionThread&) = delete;
  SessionThread& operator=(const SessionThread&) = delete;

  [[nodiscard]] const std::string& name() const noexcept;
  /// The path that the pathmap calls `name`, the same at each call; its stages are made at the first. Throws
  /// ConfigurationError, with what there is, when this thread has no such path.
  Path& path(std::string_view name);
  /// What event collectors stamp from now on, such as the step of a loop.
  void set_virtual_time(std::uint64_t value) noexcept;

 private:
  friend class Session;
  struct State;
  explicit SessionThread(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

/// An application's process in a session: what the pathmap says of it is made real when it joins: its
/// elements, its segment of trace elements, and its server when other processes use its elements (the one
/// thread that the library starts, beside the messaging's own I/O thread).
///
///     auto session = Session::join("app.yaml", "p0");
///     auto& me = session.thread("t17");               // in the thread that is t17
///     if (me.path("north").write(tuple) != Status::ok) ...
///
/// Thread-safe but for construction and destruction. Outlives its threads' use of paths.
class Session {
 public:
  struct Options {
    std::string name{};  ///< of the session; empty: $EVENTSPACE_SESSION, else the pathmap's name
    std::optional<bool>
        collect{};  ///< overrides the pathmap's `collect: enabled`; $EVENTSPACE_COLLECT=0 does too
    /// WhenLost::end is for an application that cannot go on without any of its processes: when the
    /// connection to another one is lost, every operation over it ends as Status::closed, also later ones;
    /// and so does one on an element of this process that only a thread of the other one uses besides. The
    /// same for shared elements, when that process is gone.
    WhenLost when_lost{WhenLost::reconnect};
  };

  /// Joins as process `process`. An empty one is $EVENTSPACE_PROCESS, or the pathmap's only process.
  /// Throws ConfigurationError or EnvironmentError.
  static Session join(const std::filesystem::path& pathmap, const std::string& process,
                      const Options& options);
  static Session join(const std::filesystem::path& pathmap, const std::string& process = "") {
    return join(pathmap, process, Options{});
  }
  /// The same with a plan that is there already.
  static Session join(const std::shared_ptr<const Plan>& plan, const std::string& process,
                      const Options& options);
  /// Joins as `eventspace run` says in the environment: EVENTSPACE_PATHMAP, _PROCESS, _SESSION.
  static Session from_environment();

  ~Session();
  Session(Session&& other) noexcept;

  [[nodiscard]] const Plan& plan() const noexcept;
  [[nodiscard]] const std::string& name() const noexcept;
  [[nodiscard]] const std::string& process() const noexcept;
  /// The names of the threads that the pathmap places in this process.
  [[nodiscard]] std::vector<std::string> threads() const;

  /// The calling thread becomes the pathmap's thread `name`. Throws ConfigurationError when the name is
  /// unknown, belongs to another process, or is another thread already.
  SessionThread& thread(std::string_view name);

  /// Switches this process's event collectors on and off; takes effect with the operations begun after.
  void set_collecting(bool on) noexcept;
  /// Events recorded by this process so far, over all its trace elements.
  [[nodiscard]] std::uint64_t events_recorded() const;
  /// Those of them that went before the newest `threshold` of each trace element.
  [[nodiscard]] std::uint64_t events_discarded() const;
  /// Ends all waiting of this process's threads, and of others on this process's elements; every later
  /// operation ends as Status::closed. Threads that wait for another process notice within a second. A later
  /// write to an element of another process may happen nevertheless: last words are not held back.
  void close();

 private:
  friend class SessionThread;
  struct State;
  explicit Session(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

/// The name of a session: `given`, else $EVENTSPACE_SESSION, else the plan's name.
std::string session_name(const Plan& plan, const std::string& given);

}  // namespace eventspace
