#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "tuplespace/element.h"
#include "tuplespace/operation.h"

namespace eventspace {

class ElementHome;

/// An element that lies in shared memory, as one process that maps it uses it: all processes of a node do
/// Linda's operations on it directly, without a server. It holds the promises of Element, with three
/// differences:
///
/// 1. Its tuples' encodings fill at most `room` bytes; what no longer fits counts as full. Larger than
///    the room or max_tuple_bytes: refused.
/// 2. Those who wait are not served in the order in which they came: a change wakes all whom it may help, and
///    each tries again. Who waits for a number may find it gone when another takes it first.
/// 3. It survives its users. An operation happens entirely or not at all also when its process is killed
///    within: then the others go on. Whoever waits then learns of what the killed one did within a second, if
///    it was killed in the instant between doing it and saying so.
///
/// An operation ends as Status::closed, with the reason, when the home process has closed the element, has
/// ended or is gone, when this process has left it, or when what lies in the memory makes no sense (as after
/// another process of this user wrote there). When another process is stopped in the middle of an operation,
/// the others' end as Status::timed_out at their deadline, without waiting forms a tenth of a second later.
///
/// Thread-safe, in and between processes. What a writer did before its write is visible to whoever reads or
/// takes that tuple. Nobody may be inside when it is destroyed.
class SharedElement {
 public:
  static constexpr std::size_t min_room = 64;
  static constexpr std::size_t max_room = std::size_t{1} << 30;
  static constexpr std::size_t max_threshold = std::size_t{1} << 24;
  /// Somebody who sleeps looks around so often: whether the home is alive, and whether a tuple came.
  static constexpr std::chrono::milliseconds longest_sleep{1000};

  /// The bytes of memory that an element takes.
  static std::size_t bytes(const ElementConfig& config, std::size_t room) noexcept;

  /// The element in the `bytes()` at `memory`, aligned to 64; zeros are a new one. `home` and the memory
  /// must outlive it.
  SharedElement(ElementConfig config, std::size_t room, std::byte* memory, ElementHome& home);
  ~SharedElement();
  SharedElement(SharedElement&&) noexcept;

  [[nodiscard]] const ElementConfig& config() const noexcept;
  [[nodiscard]] std::size_t room() const noexcept;

  /// As Element::perform.
  void perform(Operation& operation);
  /// As Element::attempt, but that a waker is told by a thread, which the first one starts.
  void attempt(Operation& operation);
  /// As Element::forget.
  void forget(Waker& waker);

  /// Ends all waiting with Status::closed, and every later operation too, in every process.
  void close() noexcept;
  /// Its process has neither closed it nor gone, as far as is known.
  [[nodiscard]] bool is_open() const noexcept;
  /// Has all who wait look around; see ElementFileView::leave.
  void wake_all() noexcept;

  /// Waits as long as a process that is stopped within an operation.
  [[nodiscard]] Element::Counts counts() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace eventspace
