#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>

#include "tuplespace/discard_history.h"
#include "tuplespace/kept_tuples.h"
#include "tuplespace/operation.h"
#include "tuplespace/tuple.h"
#include "tuplespace/waker_list.h"

namespace eventspace {

/// What a write does when the element holds `threshold` tuples already.
enum class WhenFull : std::uint8_t {
  discard,  ///< the oldest tuple goes, counted: right for traces and progress
  wait      ///< the writer waits for room: back-pressure, right for channels of an application
};

struct ElementConfig {
  std::string name;
  Signature signature;
  std::size_t threshold{200};  ///< tuples kept, at least 1
  WhenFull when_full{WhenFull::wait};
  std::size_t max_tuple_bytes{16u << 20};  ///< larger tuples are refused
};

/// A named, bounded sequence of tuples of one type (PastSet's element; Linda's out, rd and in).
///
/// 1. Tuples are numbered from 1 in the order in which their writes were accepted.
/// 2. At most `threshold` tuples are kept; tuples that a full discarding element dropped are counted.
/// 3. A wrong signature (of a tuple or a template) or an oversized tuple is refused, never stored. A tuple
/// that
///    is too large for whoever asks (Operation::most_bytes) is not handed out, and not passed over either.
/// 4. No operation waits that could be done: whoever changes the element completes, before it unlocks, the
///    waiting operations that the change allows, in the order in which they came (From::at goes first).
///    Each thread is woken once, with its operation done, and needs no lock any more.
///
/// Thread-safe. An operation either happens entirely or not at all. What a writer did before its write is
/// visible to whoever reads or takes that tuple. Nobody may be inside when it is destroyed.
class Element {
 public:
  /// Throws ConfigurationError for a threshold of 0, an empty signature or one of too many fields.
  explicit Element(ElementConfig config);
  ~Element();
  Element(const Element&) = delete;
  Element& operator=(const Element&) = delete;

  [[nodiscard]] const ElementConfig& config() const noexcept { return config_; }

  /// Does `operation` (write, read, take, discard), waiting until its deadline at the longest, and sets its
  /// status, sequence, tuple and missed. Unless the status is ok, sequence and tuple stay as they were.
  void perform(Operation& operation);

  /// As perform, without waiting: an operation that would have to wait keeps Status::under_way and, when
  /// it has a waker, is registered for one wake-up at the next change that may help it. The deadline is
  /// not looked at. Registering the same waker twice counts once. A registration lasts until the wake-up or
  /// forget(), even if another attempt succeeds meanwhile.
  void attempt(Operation& operation);

  /// Forgets a registered waker; after the return it is not called any more. No effect when unknown.
  void forget(Waker& waker);

  /// Ends all waiting with Status::closed, and every later operation too.
  void close();

  struct Counts {
    std::uint64_t written{0};  ///< also the newest sequence number
    std::uint64_t taken{0};
    std::uint64_t discarded{0};  ///< dropped by a full discarding element
    std::uint64_t dropped{0};    ///< dropped by Verb::discard
    std::uint64_t refused{0};
    std::size_t kept{0};
  };
  [[nodiscard]] Counts counts() const;

 private:
  struct Waiter;  // a thread that waits inside perform()
  class Woken;    // the threads to wake once the lock is released
  using Line = std::deque<Waiter*>;

  // All of these are called with the lock held; true when the operation is finished.
  bool step(Operation& operation, Woken& woken);
  bool step_write(Operation& operation, Woken& woken);
  bool step_fetch(Operation& operation, Woken& woken);
  bool step_at(Operation& operation, Woken& woken);
  bool step_discard(Operation& operation, Woken& woken);

  [[nodiscard]] bool admissible(const Operation& operation) const noexcept;
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

  mutable std::mutex mutex_;  // guards all below
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
