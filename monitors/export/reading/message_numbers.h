#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "monitors/export/reading/model.h"

namespace eventspace::exports {

/// Numbers the messages of an MPI job, at their senders and at their receivers: the n-th message that one
/// rank sent to another, with one tag on one communicator, is the n-th that the other received, because MPI
/// does not let such messages overtake each other. Both ends get the same number without waiting for each
/// other.
///
/// After losses of events of one of the two ranks, counting assumes that all earlier messages were received.
/// Ends that are numbered from then on are not certain.
///
/// Events must come in order of begin. Keeps at most `max_routes` counts; ends beyond are not numbered, but
/// counted. Not thread-safe.
class MessageNumbers {
 public:
  static constexpr std::size_t max_routes = std::size_t{1} << 18;

  struct Route {
    std::uint32_t sender{0};  ///< ranks in MPI_COMM_WORLD
    std::uint32_t receiver{0};
    std::uint32_t communicator{0};
    std::uint32_t tag{0};
    friend bool operator==(const Route&, const Route&) = default;
  };

  /// Events of this rank are missing before `time`.
  void lose(std::uint32_t rank, std::int64_t time);
  std::optional<MessageEnd> send(const Route& route);
  /// The receive ended at `end_ns`.
  std::optional<MessageEnd> receive(const Route& route, std::int64_t end_ns);
  [[nodiscard]] std::uint64_t unnumbered() const noexcept { return unnumbered_; }

  /// The end of a message that is a tuple: number `tuple` of an element.
  [[nodiscard]] static MessageEnd tuple_end(std::uint32_t element, std::uint64_t tuple,
                                            bool receives) noexcept;

 private:
  static constexpr std::size_t remembered = 8;
  struct Count {
    std::uint64_t sent{0};
    std::uint64_t received{0};
    std::uint32_t sender_gaps{0};  // gaps of the ranks that were taken into account
    std::uint32_t receiver_gaps{0};
    std::array<std::int64_t, remembered> ends{};  // of the last receives
    std::size_t next_end{0};
  };
  struct Gaps {
    std::uint32_t count{0};
    std::int64_t last_ns{0};
  };
  struct Hash {
    std::size_t operator()(const Route& route) const noexcept;
  };
  Count* count_of(const Route& route);
  void take_gaps(const Route& route, Count& count);
  [[nodiscard]] Gaps gaps_of(std::uint32_t rank) const;
  [[nodiscard]] static MessageEnd end_of(const Route& route, std::uint64_t number, const Count& count,
                                         bool receives) noexcept;

  std::unordered_map<Route, Count, Hash> counts_;
  std::unordered_map<std::uint32_t, Gaps> gaps_;
  std::uint64_t unnumbered_{0};
};

}  // namespace eventspace::exports
