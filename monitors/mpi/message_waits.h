#pragma once

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "collectors/mpi/mpi_record.h"

namespace eventspace {

/// Splits the time in calls into transfer and waiting for another process. A record does not contain when a
/// message began to move, and records of one side may be missing. Therefore the shortest call of a function
/// with as many bytes, within a factor of two, counts as the transfer, and the rest of longer calls as
/// waiting:
///
///     waiting = duration - shortest duration of the same function and size class
///
/// A receive, or a wait for a receive, waits for a *late sender*; a send, or a wait for a send, waits for a
/// *late receiver*. The statistic needs several calls of a class: a single call counts as transfer only.
/// Pure. Not thread-safe.
class MessageWaits {
 public:
  using nanoseconds = std::chrono::nanoseconds;
  static constexpr std::size_t max_entries = 1 << 20;  ///< calls beyond it are counted in left_out()

  enum class Late : std::uint8_t { sender, receiver, unknown };
  struct Pair {
    std::uint32_t waiting{0};                ///< a rank, or another key of the caller
    std::optional<std::uint32_t> partner{};  ///< nullopt if not known, or several
    Late late{Late::unknown};
    friend auto operator<=>(const Pair&, const Pair&) = default;  // NOLINT(modernize-use-nullptr)
  };
  /// `function` is any number that identifies a function, `bytes` the size of the message.
  void add(const Pair& pair, std::uint32_t function, std::uint64_t bytes, nanoseconds duration);

  struct Sum {
    std::uint64_t calls{0};
    nanoseconds in_calls{0};
    nanoseconds waited{0};
  };
  /// By the waiting rank and its partner.
  [[nodiscard]] std::map<Pair, Sum> sums() const;
  [[nodiscard]] std::uint64_t left_out() const noexcept { return left_out_; }

 private:
  using Class = std::pair<std::uint32_t, int>;  // function, and the bit width of the byte count
  struct Count {
    std::uint64_t calls{0};
    nanoseconds in_calls{0};
  };
  std::map<Class, nanoseconds> shortest_;
  std::map<std::pair<Pair, Class>, Count> counts_;
  std::uint64_t left_out_{0};
};

}  // namespace eventspace
