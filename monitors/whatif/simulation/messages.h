#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "monitors/whatif/actions/action.h"

namespace eventspace::whatif {

/// The number of no message or receive.
inline constexpr std::uint32_t nothing = std::numeric_limits<std::uint32_t>::max();

/// A message on its way, from when its sender hands it over until all of it has been received.
struct Message {
  std::uint32_t from{0}, to{0};  ///< tasks
  std::uint32_t group{0}, tag{0};
  std::uint64_t bytes{0};
  std::uint64_t arrived{0};
  std::uint64_t consumed{0};  ///< by partial receives
  Picoseconds send_began{0};  ///< when the sender began it
  Picoseconds arrival{0};     ///< of the last byte so far
  std::uint32_t receive{nothing};
  std::uint32_t next{nothing};  ///< in its channel
  std::uint32_t next_of_multicast{nothing};
  std::uint32_t request{nothing};  ///< of the sender, which waits until the message has left
  bool waits_for_receive{false};   ///< it is handed over only after a matching receive
  bool is_answered{false};         ///< its sender waits for arrival and an answer
  bool has_arrived{false};         ///< its last packet, which may be empty
};

/// A receive that a task has posted, until its bytes have come.
struct Receive {
  std::uint32_t task{0};
  std::uint32_t request{0};
  std::uint32_t from{0};
  std::uint32_t group{0}, tag{0};
  std::uint64_t bytes{0};
  bool is_partial{false};
  Picoseconds posted{0};
  Picoseconds partner_began{0};  ///< when the sender of its last byte began
  bool was_awaited{false};       ///< its message waited for the receive, at its sender or after arrival
  std::uint32_t message{nothing};
  std::uint32_t next{nothing};  ///< in its channel
};

/// A pool of values with reusable numbers. References are valid until the next make().
template <class T>
class Pool {
 public:
  std::uint32_t make(const T& value) {
    if (free_.empty()) {
      values_.push_back(value);
      return static_cast<std::uint32_t>(values_.size() - 1);
    }
    const std::uint32_t number = free_.back();
    free_.pop_back();
    values_[number] = value;
    return number;
  }
  void give_back(std::uint32_t number) { free_.push_back(number); }
  [[nodiscard]] T& operator[](std::uint32_t number) { return values_[number]; }
  [[nodiscard]] const T& operator[](std::uint32_t number) const { return values_[number]; }

 private:
  std::vector<T> values_;
  std::vector<std::uint32_t> free_;
};

/// A list of the members of a pool, by T::next.
struct Queue {
  std::uint32_t first{nothing};
  std::uint32_t last{nothing};
  [[nodiscard]] bool is_empty() const noexcept { return first == nothing; }
  template <class T>
  void push(Pool<T>& pool, std::uint32_t number) {
    pool[number].next = nothing;
    if (is_empty()) {
      first = number;
    } else {
      pool[last].next = number;
    }
    last = number;
  }
  template <class T>
  std::uint32_t pop(Pool<T>& pool) {
    const std::uint32_t number = first;
    first = pool[number].next;
    if (first == nothing) last = nothing;
    return number;
  }
};

}  // namespace eventspace::whatif
