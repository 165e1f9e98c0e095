#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "tuplespace/tuple.h"

namespace eventspace {

/// What is done to an element. The numbers are part of the record and wire formats.
enum class Verb : std::uint8_t {
  write = 1,    ///< Linda's out
  read = 2,     ///< Linda's rd: the tuple stays
  take = 3,     ///< Linda's in: the tuple goes
  discard = 4,  ///< drops every tuple up to and including a sequence number
  pull = 5      ///< one read through an event scope
};
std::string_view to_string(Verb verb) noexcept;

/// Where a read or take starts to look; it then goes towards newer tuples.
enum class From : std::uint8_t {
  oldest = 0,  ///< the oldest tuple kept
  newest = 1,  ///< the newest tuple kept, and no other
  at = 2,      ///< exactly `Operation::sequence`; `missed` and empty-handed when it is gone already
  after = 3    ///< the first one after `Operation::sequence`: "next for this reader"
};

/// How an operation ended. The numbers are part of the record and wire formats.
enum class Status : std::uint8_t {
  ok = 0,
  under_way = 1,  ///< begun and not finished
  empty = 2,      ///< non-blocking form: no tuple matches now
  full = 3,       ///< non-blocking form: the element waits for room
  timed_out = 4,  ///< the deadline passed first; nothing was done
  gone = 5,       ///< the tuple asked for by number was discarded or taken before
  closed = 6,     ///< the element, or the server on the way to it, has ended
  refused = 7     ///< the element, or a server on the way, refused: wrong signature, too large, unknown name
};
std::string_view to_string(Status status) noexcept;

/// Until when an operation may wait. Waits use the steady clock.
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr Deadline never() noexcept { return Deadline(Clock::time_point::max()); }
  static constexpr Deadline now() noexcept { return Deadline(Clock::time_point::min()); }  ///< non-blocking
  static Deadline after(Clock::duration wait) noexcept { return Deadline(Clock::now() + wait); }

  [[nodiscard]] constexpr bool is_never() const noexcept { return at_ == Clock::time_point::max(); }
  [[nodiscard]] constexpr bool is_now() const noexcept { return at_ == Clock::time_point::min(); }
  [[nodiscard]] bool passed() const noexcept { return is_now() || (!is_never() && Clock::now() >= at_); }
  [[nodiscard]] constexpr Clock::time_point time() const noexcept { return at_; }
  /// What is left, never negative; Clock::duration::max() for never().
  [[nodiscard]] Clock::duration left() const noexcept;

 private:
  constexpr explicit Deadline(Clock::time_point at) noexcept : at_(at) {}
  Clock::time_point at_;
};

/// Told, from any thread and at most once per registration, that an operation that found the element empty
/// or full is worth trying again. Must not block and must not call back into the element.
class Waker {
 public:
  virtual void wake() noexcept = 0;

 protected:
  ~Waker() = default;
};

struct Pull;  // tuplespace/view.h

/// One operation on its way to an element and its outcome on the way back. Owned by the caller; it must
/// stay where it is from begin to finish. One thread at a time.
struct Operation {
  Verb verb{Verb::write};
  From from{From::oldest};
  /// In: the number for From::at and From::after, or the last to go for Verb::discard.
  /// Out: the sequence number (from 1) of the tuple written, read or taken.
  std::uint64_t sequence{0};
  Deadline deadline{Deadline::never()};
  Tuple tuple;                     ///< in for write; out for read and take
  const Template* match{nullptr};  ///< selects tuples for read and take; null selects all; not owned
  Pull* pull{nullptr};             ///< request and result of Verb::pull; not owned
  Waker* waker{nullptr};           ///< told when an operation that is not ready may have become so; not owned

  Status status{Status::under_way};  ///< out
  std::uint64_t missed{0};           ///< out, From::after: how many tuples between were discarded unread
};

}  // namespace eventspace
