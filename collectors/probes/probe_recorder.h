#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "collectors/clock.h"
#include "collectors/event_collector.h"
#include "collectors/probe_record.h"
#include "collectors/probes/passage_counts.h"
#include "tuplespace/trace/trace_element.h"

namespace eventspace {

/// Records the probes of one thread in their own trace element. Recording never waits, allocates, makes a
/// system call or fails. The innermost open region that is recorded is the event in flight. Points and
/// regions are the two classes of probes of a CollectSwitch; a region that is recorded when it begins is
/// recorded to its end.
///
/// Used by one thread at a time. `thread` and the writer's memory must outlive it.
class ProbeRecorder {
 public:
  static constexpr std::size_t deepest = 64;  ///< open regions

  ProbeRecorder(TraceWriter writer, CollectorIdentity identity, const RecordedThread& thread,
                const Clock& clock) noexcept;

  /// Values after the eighth are dropped. `virtual_time` is of this passage; nullopt means the thread's
  /// virtual time, or without one, the number of the passage if the name is counted (PassageCounts). A region
  /// passes its probe when it ends.
  void point(std::uint32_t name, std::span<const ProbeValue> values,
             std::optional<std::uint64_t> virtual_time = std::nullopt) noexcept;
  /// A region that begins while the thread is switched off, or when `deepest` regions are open, is not
  /// recorded. In the latter case, the next end() counts as its end.
  void begin(std::uint32_t name) noexcept;
  /// Ends the innermost open region of this name, with the values, after ending the regions that began later.
  /// Does nothing if no region of this name is open.
  void end(std::uint32_t name, std::span<const ProbeValue> values,
           std::optional<std::uint64_t> virtual_time = std::nullopt) noexcept;

 private:
  static constexpr std::uint64_t unrecorded = 0;  // the start of a region that began while switched off
  struct Open {
    std::uint64_t start{unrecorded};
    std::uint32_t name{0};
  };

  [[nodiscard]] bool records(ProbeVerb verb) const noexcept {
    return thread_->records(probe_kind, static_cast<std::uint8_t>(verb));
  }
  /// The facts of an ended event beside its values.
  struct Ended {
    ProbeVerb verb{ProbeVerb::point};
    Open event{};
    std::uint64_t end{0};
    std::uint64_t step{0};  // word 7
  };
  [[nodiscard]] std::uint64_t step_of(std::uint32_t name, std::optional<std::uint64_t> virtual_time) noexcept;
  void write(const Ended& ended, std::span<const ProbeValue> values) noexcept;
  void write_part(const Ended& ended, std::uint8_t part, std::span<const ProbeValue> values) noexcept;
  void show_innermost() noexcept;
  [[nodiscard]] std::uint64_t what(ProbeVerb verb, std::uint32_t name) const noexcept;

  TraceWriter writer_;
  CollectorIdentity identity_;
  const RecordedThread* thread_;
  const Clock* clock_;
  PassageCounts passages_;
  std::array<Open, deepest> open_;  // outermost first
  std::size_t depth_{0};
  std::uint64_t too_deep_{0};  // open regions that are not recorded
};

}  // namespace eventspace
