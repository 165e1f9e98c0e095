#pragma once

#include <cstdint>
#include <functional>

namespace eventspace {

/// The clock of a node by which its times are compared with those of others: CLOCK_MONOTONIC of the machine,
/// unless a program brings one of its own. Its identity is equal only for those who read the same clock, and
/// 0 when it is not known which one that is. Thread-safe if what it is made from is.
class NodeClock {
 public:
  /// CLOCK_MONOTONIC, identified by the kernel's boot and the time namespace.
  NodeClock();
  NodeClock(std::function<std::uint64_t()> read_ns, std::uint64_t identity);

  [[nodiscard]] std::uint64_t now_ns() const { return read_ns_(); }
  [[nodiscard]] std::uint64_t identity() const noexcept { return identity_; }

 private:
  std::function<std::uint64_t()> read_ns_;
  std::uint64_t identity_;
};

}  // namespace eventspace
