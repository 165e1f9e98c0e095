#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <eventspace/operation.h>
#include "tuplespace/element.h"

namespace eventspace {

class ElementHome;

/// An element in shared memory, as used by one of the processes that map it: processes of a node perform
/// Linda's operations on it directly, without a server. It behaves like Element, with three differences:
///
/// 1. The encodings of its tuples take at most `room` bytes; a tuple that does not fit beside those kept
///    finds the element full. A tuple larger than the room, or than max_tuple_bytes, is refused.
/// 2. Waiting operations are not served in the order of their arrival: a change wakes all threads that it may
///    help, and each tries again. An operation From::at may find its tuple gone if another thread takes it
///    first.
/// 3. It survives its users. An operation happens entirely or not at all, even if its process is killed in
///    the middle; the other processes continue. If that process was killed after the change and before the
///    wake-up, waiting threads notice the change within `longest_sleep`.
///
/// An operation ends with Status::closed and a reason if the home process has closed the element, has ended
/// or is gone; if this process has left the file (ElementFileView::leave); or if the memory is damaged, for
/// example because another process of this user wrote to it. While another process is stopped in the middle
/// of an operation, operations end with Status::timed_out at their deadline, non-blocking forms a tenth of a
/// second later.
///
/// Thread-safe, within and between processes. What a thread did before its write is visible to a thread that
/// reads or takes the tuple. No thread may be inside a member function when the object is destroyed.
class SharedElement {
 public:
  static constexpr std::size_t min_room = 64;
  static constexpr std::size_t max_room = std::size_t{1} << 30;
  static constexpr std::size_t max_threshold = std::size_t{1} << 24;
  /// A sleeping thread wakes up this often to check whether the home process is alive and whether a tuple has
  /// come.
  static constexpr std::chrono::milliseconds longest_sleep{1000};

  /// Returns the bytes of memory that the element takes.
  static std::size_t bytes(const ElementConfig& config, std::size_t room) noexcept;

  /// Uses the element in the `bytes()` bytes at `memory`, which is aligned to 64; zero bytes are a new
  /// element. `home` and the memory must outlive this object.
  SharedElement(ElementConfig config, std::size_t room, std::byte* memory, ElementHome& home);
  ~SharedElement();
  SharedElement(SharedElement&&) noexcept;

  [[nodiscard]] const ElementConfig& config() const noexcept;
  [[nodiscard]] std::size_t room() const noexcept;

  /// Like Element::perform.
  void perform(Operation& operation);
  /// Like Element::attempt, but a waker is called by a thread of this object, which the first waker starts.
  void attempt(Operation& operation);
  /// Like Element::forget.
  void forget(Waker& waker);

  /// Ends all waiting operations, and every later one, with Status::closed, in all processes.
  void close() noexcept;
  /// Returns whether the home process, as far as is known, has neither closed the element nor ended.
  [[nodiscard]] bool is_open() const noexcept;
  /// Makes all waiting threads check their operations again; see ElementFileView::leave.
  void wake_all() noexcept;

  /// Zeros if a process is stopped in the middle of an operation for more than a second.
  [[nodiscard]] Element::Counts counts() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace eventspace
