#pragma once

// Private to monitors/.

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "collectors/mpi/mpi_record.h"

namespace eventspace {

/// How much of the time in calls is transfer, and how much is waiting for another process. A record does not
/// say when a message began to move, and records of both sides need not be there; so the shortest of all
/// calls of one function with as many bytes, within a factor of two, counts as the transfer, and what a call
/// takes longer as waiting:
///
///     waiting = duration - shortest duration of the same function and size class
///
/// A receive or a wait for one waits for a *late sender*, a send or a wait for one for a *late receiver*. The
/// statistic needs several calls of a class: of a class with one call all is transfer. Pure. Not thread-safe.
class MessageWaits {
 public:
  using nanoseconds = std::chrono::nanoseconds;
  static constexpr std::size_t max_entries = 1 << 20;  ///< what exceeds it is counted in left_out()

  enum class Late : std::uint8_t { sender, receiver, unknown };
  struct Pair {
    std::uint32_t waiting{0};                ///< a rank, or what the caller adds up by
    std::optional<std::uint32_t> partner{};  ///< none: not known, or several
    Late late{Late::unknown};
    friend auto operator<=>(const Pair&, const Pair&) = default;  // NOLINT(modernize-use-nullptr)
  };
  /// `function`: any number that stands for one. `bytes`: of the message.
  void add(const Pair& pair, std::uint32_t function, std::uint64_t bytes, nanoseconds duration);

  struct Sum {
    std::uint64_t calls{0};
    nanoseconds in_calls{0};
    nanoseconds waited{0};
  };
  /// By the rank that waited and the one for which it did.
  [[nodiscard]] std::map<Pair, Sum> sums() const;
  [[nodiscard]] std::uint64_t left_out() const noexcept { return left_out_; }

 private:
  using Class = std::pair<std::uint32_t, int>;  // function, and how many bits the bytes have
  struct Count {
    std::uint64_t calls{0};
    nanoseconds in_calls{0};
  };
  std::map<Class, nanoseconds> shortest_;
  std::map<std::pair<Pair, Class>, Count> counts_;
  std::uint64_t left_out_{0};
};

}  // namespace eventspace
