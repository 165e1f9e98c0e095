#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "collectors/event_collector.h"
#include "paths/views/view.h"
#include "tuplespace/trace/trace_element.h"

namespace eventspace {

/// The destination of this process's probe records: a session that collects. Implemented by sessions; the
/// probes of eventspace_probe.h use the host that was set last.
class ProbeHost {
 public:
  /// The objects that a thread needs to record its probes.
  struct Thread {
    TraceWriter writer;
    CollectorIdentity identity;
    std::shared_ptr<const RecordedThread> recorded;
    std::shared_ptr<const void> memory;  ///< keeps the memory of `writer`
  };

  virtual ~ProbeHost() = default;
  /// Makes a trace element for the calling thread. Returns nullopt if the host is full; the host counts these
  /// threads. May call the system. If it throws, the thread's probes are not recorded; if number_of() throws,
  /// the probe has no name.
  virtual std::optional<Thread> add_thread() = 0;
  /// Returns the number for a probe of this name, the same for the same texts. `values` are the texts of its
  /// values, separated by commas. May call the system. If the name table is full, returns the number of the
  /// name `more_probe_names`.
  virtual std::uint32_t number_of(std::string_view name, std::string_view values) = 0;

  /// A recorder beside the probes, such as of MPI calls.
  struct Recorder {
    std::string_view name;         ///< of its paths, and after '/' in the names of its trace elements
    std::uint32_t threshold{200};  ///< of each trace element
    /// The thread whose id is the process id is named like the process, without a number.
    bool names_first_thread{false};
  };
  /// Like add_thread(), for another recorder. Returns nullopt if the host does not support it.
  virtual std::optional<Thread> add_thread_of(const Recorder& /*recorder*/) { return std::nullopt; }
  /// Gives a name to a number in records of such a recorder. May call the system. Returns whether it fitted.
  virtual bool give_name(const OwnName& /*name*/) { return false; }
};

/// The name of probes whose names did not fit.
inline constexpr std::string_view more_probe_names = "(more names)";

/// Sets the host; null disables probes. A process has one host, the last one set. Threads that are recording
/// finish with the old host. Blocks while a thread registers with the old host. Thread-safe.
void set_probe_host(std::shared_ptr<ProbeHost> host) noexcept;
/// The current host, or null. Thread-safe.
std::shared_ptr<ProbeHost> probe_host() noexcept;
/// Removes `host` if it is the current host.
void remove_probe_host(const ProbeHost& host) noexcept;

/// Sets the function that a probe calls when there is no host, and which may set one; null disables this. Any
/// thread may call it, several at a time, and each probe calls it until there is a host or the function is
/// replaced. It must not throw.
void set_look_for_probe_host(void (*look)()) noexcept;

/// Ends this thread's use of the host: its next probe registers again. For a thread that becomes another
/// thread of the session.
void forget_probe_thread() noexcept;

}  // namespace eventspace
