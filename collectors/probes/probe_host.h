#pragma once

// Private to collectors/.

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "collectors/event_collector.h"
#include "paths/views/view.h"
#include "tuplespace/trace/trace_element.h"

namespace eventspace {

/// Where the probes of this process are recorded: a session that collects. Implemented by sessions; the
/// probes of eventspace_probe.h go to the host that was set last.
class ProbeHost {
 public:
  /// What a thread needs to record its probes.
  struct Thread {
    TraceWriter writer;
    CollectorIdentity identity;
    std::shared_ptr<const RecordedThread> recorded;
    std::shared_ptr<const void> memory;  ///< keeps the memory of `writer`
  };

  virtual ~ProbeHost() = default;
  /// Makes a trace element for the calling thread. Returns none if there is no room for it; the host counts
  /// it. May call the system. If it throws, the thread's probes are not recorded; if number_of() throws, the
  /// probe has no name.
  virtual std::optional<Thread> add_thread() = 0;
  /// Returns the number for a probe of this name, the same for the same texts. `values` are the texts of its
  /// values, separated by commas. May call the system. If there is no room for more names, returns the number
  /// of the name `more_probe_names`.
  virtual std::uint32_t number_of(std::string_view name, std::string_view values) = 0;

  /// What records beside the probes, such as the calls of MPI.
  struct Recorder {
    std::string_view name;         ///< of its paths, and behind '/' in the names of its trace elements
    std::uint32_t threshold{200};  ///< of each trace element
    /// The thread that has the process's id is called like the process, without its number.
    bool names_first_thread{false};
  };
  /// As add_thread(), for another recorder. A host that has none returns none.
  virtual std::optional<Thread> add_thread_of(const Recorder& /*recorder*/) { return std::nullopt; }
  /// Gives a name to a number in records of such a recorder. May call the system. Returns whether there was
  /// room.
  virtual bool give_name(const OwnName& /*name*/) { return false; }
};

/// The name under which probes appear whose names have no room.
inline constexpr std::string_view more_probe_names = "(more names)";

/// Sets the host; null: probes do nothing. Each process has one, the last one set. Threads that are recording
/// finish with the old one. Blocks while a thread registers with the old host. Thread-safe.
void set_probe_host(std::shared_ptr<ProbeHost> host) noexcept;
/// The host that is set; null if there is none. Thread-safe.
std::shared_ptr<ProbeHost> probe_host() noexcept;
/// Removes `host` if it is the one that is set.
void remove_probe_host(const ProbeHost& host) noexcept;

/// Sets what a probe calls when there is no host, so that it may set one; null: nothing. Called by any
/// thread, by several at a time, and by each probe until there is a host or the function is replaced. It must
/// not throw.
void set_look_for_probe_host(void (*look)()) noexcept;

/// Ends the use of a host in this thread: its next probe registers anew. For a thread that becomes another
/// thread of the session.
void forget_probe_thread() noexcept;

}  // namespace eventspace
