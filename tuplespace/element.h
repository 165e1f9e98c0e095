#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>

#include <eventspace/operation.h>
#include <eventspace/tuple.h>
#include "tuplespace/discard_history.h"
#include "tuplespace/kept_tuples.h"
#include "tuplespace/waker_list.h"

namespace eventspace {

/// A named, bounded sequence of tuples of one type: PastSet's element with Linda's operations (out, rd, in).
/// Threads of one process communicate through it; SharedElement does the same between processes.
///
/// 1. Tuples are numbered from 1 in the order in which their writes were accepted.
/// 2. At most `threshold` tuples are kept. A full element with WhenFull::discard drops its oldest tuple to
///    accept a write, and counts it.
/// 3. A tuple or template with the wrong signature, or an oversized tuple, is refused and never stored. A
///    tuple that is larger than the caller can receive (Operation::max_bytes) is not delivered: the read or
///    take is refused, the tuple stays, and later tuples are not delivered in its place.
/// 4. An operation never waits if it can be done. A thread that changes the element completes, before it
///    unlocks, the waiting operations that the change allows, in the order of their arrival; operations
///    From::at come first. Each waiting thread is woken once, when its operation is complete, and does not
///    take the lock again.
///
/// Thread-safe. An operation happens entirely or not at all. What a thread did before its write is visible to
/// a thread that reads or takes the tuple. No thread may be inside a member function when the element is
/// destroyed. Outcomes are values (Operation::status); operations throw only std::bad_alloc.
///
///     Element box({.name = "box", .signature = {FieldType::integer}});
///     Operation write{.verb = Verb::write, .tuple = Tuple::of({std::int64_t{7}})};
///     box.perform(write);  // write.sequence is 1
///     Operation take{.verb = Verb::take, .deadline = Deadline::after(std::chrono::milliseconds(100))};
///     box.perform(take);
///     if (take.status == Status::ok) use(take.tuple.get<std::int64_t>(0));
class Element {
 public:
  /// Throws ConfigurationError if the threshold is 0, or the signature is empty, and the element does not
  /// adopt one, or has more than Signature::max_fields fields.
  explicit Element(ElementConfig config);
  ~Element();
  Element(const Element&) = delete;
  Element& operator=(const Element&) = delete;

  [[nodiscard]] const ElementConfig& config() const noexcept { return config_; }
  /// The signature of the configuration, or the adopted signature; empty while there is none.
  [[nodiscard]] Signature signature() const;
  /// Adopts `asked`, like from the first tuple, if the element does not have a signature yet. Waiting fetches
  /// of another type are refused. Returns whether the element's signature is `asked` now; false, without any
  /// change, also for a signature of more than Signature::max_fields fields.
  [[nodiscard]] bool adopt_signature(const Signature& asked);

  /// Performs `operation` (write, read, take or discard), blocking at most until its deadline. Sets its
  /// status, sequence, tuple and missed; unless the status is ok, sequence and tuple stay unchanged.
  void perform(Operation& operation);

  /// Like perform, but never blocks and ignores the deadline. An operation that would have to wait keeps
  /// Status::under_way; if it has a waker, the waker is registered for one call at the next change that may
  /// allow the operation. Registering a waker again is ignored. A registration lasts until that call or until
  /// forget(), even if another attempt succeeds before.
  void attempt(Operation& operation);

  /// Removes the registration of `waker`, if any. The element does not call it after the return.
  void forget(Waker& waker);

  /// Ends all waiting operations, and every later one, with Status::closed.
  void close();

  struct Counts {
    std::uint64_t written{0};  ///< also the newest sequence number
    std::uint64_t taken{0};
    std::uint64_t discarded{0};  ///< dropped to make room, see WhenFull::discard
    std::uint64_t dropped{0};    ///< dropped by Verb::discard
    std::uint64_t refused{0};
    std::size_t kept{0};
  };
  [[nodiscard]] Counts counts() const;

 private:
  struct Waiter;  // a thread that waits inside perform()
  class Woken;    // wakes threads after the lock is released
  using Line = std::deque<Waiter*>;

  // Called with the lock held. Each returns true when the operation is finished.
  bool step(Operation& operation, Woken& woken);
  bool step_write(Operation& operation, Woken& woken);
  bool step_fetch(Operation& operation, Woken& woken);
  bool step_at(Operation& operation, Woken& woken);
  bool step_discard(Operation& operation, Woken& woken);

  [[nodiscard]] bool admissible(const Operation& operation) const noexcept;
  void adopt(Signature signature, Woken& woken);
  [[nodiscard]] bool full() const noexcept { return kept_.size() >= config_.threshold; }
  void accept(Operation& write, Woken& woken);
  bool offer(const KeptTuple& fresh, Woken& woken);
  bool offer_to(Operation& operation, const KeptTuple& fresh, bool taken);
  void keep(KeptTuple fresh);
  void fetch(Operation& operation, KeptTuples::Position position, Woken& woken);
  bool refuse_if_too_large(Operation& operation, const KeptTuple& found);
  void deliver(Operation& operation, KeptTuple found);
  void use_room(Woken& woken);

  void line_up(Waiter& waiter);
  void wait_in_line(Waiter& waiter);
  bool withdraw(Waiter& waiter);
  void close_line(Line& line, Woken& woken);
  [[nodiscard]] Line& line_of(const Operation& operation) noexcept;

  const ElementConfig config_;

  mutable std::mutex mutex_;  // guards all members below
  Signature signature_;       // empty until one is adopted
  KeptTuples kept_;
  DiscardHistory discards_;
  Counts counts_;
  bool closed_{false};
  Line waiting_for_tuple_;
  Line waiting_for_room_;
  WakerList wakers_for_tuple_;
  WakerList wakers_for_room_;
};

}  // namespace eventspace
