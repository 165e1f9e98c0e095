#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "paths/wire/wire.h"

namespace eventspace {

/// The counters of a server: written by its loop, read by any thread.
struct ServerCounters {
  using Count = std::atomic<std::uint64_t>;
  Count requests{0};
  Count open_targets{0};
  Count connections{0};
  Count handshakes_refused{0};
  Count undeliverable{0};
  std::array<Count, wire::fault_count> refused{};

  static void add(Count& count) noexcept { count.fetch_add(1, std::memory_order_relaxed); }
  void refuse(wire::Fault fault) noexcept { add(refused.at(static_cast<std::size_t>(fault))); }
};

}  // namespace eventspace
