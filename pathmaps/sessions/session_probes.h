#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collectors/probes/probe_host.h"
#include "pathmaps/sessions/local_id_pool.h"
#include "paths/views/view.h"
#include "tuplespace/trace/growing_traces.h"
#include "tuplespace/trace/segment.h"

namespace eventspace {

/// The event collectors of a process and their switch, which their threads' records may outlive.
struct SwitchedThread {
  explicit SwitchedThread(std::shared_ptr<const CollectSwitch> of_process)
      : collecting(std::move(of_process)), thread{collecting.get()} {}
  std::shared_ptr<const CollectSwitch> collecting;
  RecordedThread thread;
};

/// Makes the calling thread thread `number` of the session, whose virtual time is in `recorded`, for the
/// probes that it records from now on in the host with this id.
void set_probing_thread(std::uint64_t host, std::uint32_t number,
                        const std::shared_ptr<const SwitchedThread>& recorded) noexcept;

/// The index of the trace element in which the calling thread, set as above, records its probes in that host;
/// nullopt if it does not record there.
std::optional<std::size_t> trace_of_probes(std::uint64_t host) noexcept;

/// Records the probes of one process in its segment (include/eventspace/probe.h). A thread gets a
/// trace element at its first probe, with process-local numbers (scopes/tree/local_ids.h); see
/// GrowingTraces. A thread without a name gets the name "PROCESS:TID", and if the segment is full,
/// "PROCESS:spare1" and so on.
class SessionProbes final : public ProbeHost {
 public:
  struct Config {
    std::string process;  ///< its name
    std::shared_ptr<LocalIdPool> numbers;
    std::shared_ptr<const CollectSwitch> collecting;
    std::uint64_t host{0};  ///< its id, unique over all hosts of this process; see set_probing_thread
  };

  /// `segment` must outlive the use as host (remove_probe_host).
  SessionProbes(Segment& segment, Config config);

  std::optional<Thread> add_thread() override;
  std::optional<Thread> add_thread_of(const Recorder& recorder) override;
  bool give_name(const OwnName& name) override;
  std::uint32_t number_of(std::string_view name, std::string_view values) override;

  /// The trace elements that threads get while they run, for other recorders of the process.
  [[nodiscard]] GrowingTraces& traces() noexcept { return traces_; }

 private:
  std::vector<std::uint32_t> take_spares();
  bool add_name(OwnNameOf of, std::uint32_t number, std::string_view text);

  Segment* segment_;
  Config config_;
  std::unordered_map<std::string, std::uint32_t> numbers_;  // of probes, by name
  std::set<std::uint32_t> with_values_;                     // numbers whose values have texts
  GrowingTraces traces_;                                    // after the members that its spares come from
};

/// The number of probe records that are kept per thread.
inline constexpr std::uint32_t probes_threshold = 1000;
/// The number of spare threads whose probes are recorded when the segment is full.
inline constexpr std::uint32_t spare_probe_threads = 4;
/// The maximum number of probe names of a process; further names are recorded as `more_probe_names`.
inline constexpr std::size_t max_probe_names = 4096;

}  // namespace eventspace
