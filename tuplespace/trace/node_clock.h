#pragma once

#include <cstdint>
#include <functional>

namespace eventspace {

/// The clock of a node by which its times are compared with other nodes: CLOCK_MONOTONIC of the machine,
/// unless a program supplies its own. Two clocks have the same identity only if they are the same clock; 0
/// means that the identity is unknown.
///
/// Thread-safe if its function is.
class NodeClock {
 public:
  /// CLOCK_MONOTONIC, identified by the boot id of the kernel and the time namespace.
  NodeClock();
  NodeClock(std::function<std::uint64_t()> read_ns, std::uint64_t identity);

  [[nodiscard]] std::uint64_t now_ns() const { return read_ns_(); }
  [[nodiscard]] std::uint64_t identity() const noexcept { return identity_; }

 private:
  std::function<std::uint64_t()> read_ns_;
  std::uint64_t identity_;
};

}  // namespace eventspace
