#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "collectors/event_record.h"
#include "pathmaps/plan/plan.h"

namespace eventspace {

/// How the operations on a recorded path depend on other threads.
struct DelayPath {
  std::uint32_t thread{0};
  std::uint16_t point{0};          ///< the first at which the path is recorded
  std::uint64_t channel{0};        ///< number of the writes to the element, or of the collective
  std::uint64_t room_channel{0};   ///< of the takes from it; 0 if writes do not wait for room
  std::uint64_t threshold{0};      ///< of the element
  bool are_writes_unknown{false};  ///< not all threads for which operations wait are recorded
  bool are_writes_awaited{false};
  bool is_collective{false};
  std::size_t participants{0};  ///< of the collective
};

/// Whether an operation has ended because an element was empty or full: the thread may repeat it.
[[nodiscard]] bool has_found_nothing(const EventRecord& record) noexcept;

/// The recorded paths of threads to elements and collectives, by number. Pure.
[[nodiscard]] std::map<std::uint32_t, DelayPath> delay_paths(const Plan& plan);

}  // namespace eventspace
