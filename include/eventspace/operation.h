#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <eventspace/deadline.h>
#include <eventspace/tuple.h>

namespace eventspace {

/// The effect of a write to an element that holds `threshold` tuples already.
enum class WhenFull : std::uint8_t {
  discard,  ///< drops the oldest tuple and counts it: for traces and progress reports
  wait      ///< waits for room: back-pressure, for channels between an application's threads
};

/// The properties of an element: a named, bounded sequence of tuples of one type.
struct ElementConfig {
  std::string name;
  Signature signature;
  std::size_t threshold{200};  ///< tuples kept, at least 1
  WhenFull when_full{WhenFull::wait};
  std::size_t max_tuple_bytes{16u << 20};  ///< larger tuples are refused
  /// With an empty signature: the first tuple determines it; until then, operations on tuples of any type
  /// wait.
  bool adopts_signature{false};
};

/// The operations on an element. The numbers are part of the record and wire formats.
enum class Verb : std::uint8_t {
  write = 1,    ///< Linda's out
  read = 2,     ///< Linda's rd: the tuple stays
  take = 3,     ///< Linda's in: the tuple is removed
  discard = 4,  ///< drops every tuple up to and including a sequence number
  pull = 5,     ///< one read through an event scope
  exchange =
      6  ///< contributes a tuple to a collective operation and gets its result (paths/joints/collective.h)
};
std::string_view to_string(Verb verb) noexcept;
/// Whether the operation leaves the element unchanged, so that without an answer it has certainly changed
/// nothing.
constexpr bool changes_nothing(Verb verb) noexcept { return verb == Verb::read || verb == Verb::pull; }

/// Where a read or take starts to search; it continues towards newer tuples. If none of the kept tuples
/// matches, it waits for the next matching tuple.
enum class From : std::uint8_t {
  oldest = 0,  ///< the oldest tuple kept
  newest = 1,  ///< only the newest tuple kept
  at = 2,      ///< exactly tuple `Operation::sequence`: ends with Status::gone if it is no longer kept, and
               ///< at once with Status::empty if it does not match
  after = 3    ///< the first tuple after `Operation::sequence`: the next tuple for this reader
};

/// How an operation ended. The numbers are part of the record and wire formats.
enum class Status : std::uint8_t {
  ok = 0,
  under_way = 1,  ///< begun, not finished
  empty = 2,      ///< currently no match (non-blocking form), or never a match (From::at)
  full = 3,       ///< the element is full now (non-blocking form)
  timed_out = 4,  ///< the deadline passed; nothing was done
  gone = 5,       ///< the tuple with this number was discarded, dropped or taken before
  closed = 6,     ///< the element, or a server on the way to it, has ended or can no longer be reached
  refused = 7     ///< by the element or a server on the way: wrong signature, too large, unknown name
};
std::string_view to_string(Status status) noexcept;

/// Receives a call when an operation that found the element empty or full is worth another attempt; that
/// attempt may fail again. One registration causes at most one call.
///
/// wake() may be called by any thread, with the element locked: it must not block, must not call the element,
/// and must not take a lock that another thread holds while it calls the element. The owner removes the
/// registration (Element::forget) before it destroys the waker.
class Waker {
 public:
  virtual void wake() noexcept = 0;

 protected:
  ~Waker() = default;
};

/// Request and result of an operation on a target other than an element, such as a pull through a scope. Each
/// kind of target derives its own. The two numbers belong to one hop, between a stage and the next: with them
/// a reply that is lost or late costs a repetition, never data.
struct OperationBody {
  std::uint64_t id{1};     ///< of this operation; rises with each operation through a stage
  std::uint64_t after{0};  ///< the last operation whose result is known to have arrived; 0 if none yet
};

/// One operation: the request on its way to an element, and its outcome on the way back. Owned by the caller,
/// and used by one thread at a time; it must stay at the same address from begin to finish.
struct Operation {
  Verb verb{Verb::write};
  From from{From::oldest};
  /// In: the number for From::at and From::after; the last number to drop for Verb::discard. Out: the
  /// sequence number (from 1) of the tuple written, read or taken; for an exchange, the number of the
  /// collective operation, the same for all participants.
  std::uint64_t sequence{0};
  Deadline deadline{Deadline::never()};
  /// The largest encoded tuple, in bytes, that the caller can receive. A read or take that finds a larger
  /// tuple is refused, and the tuple stays.
  std::size_t max_bytes{SIZE_MAX};
  Tuple tuple;  ///< in for write, which does not change it; out for read and take; in and out for exchange
  const Template* match{nullptr};  ///< selects tuples for read and take; null selects all; not owned
  OperationBody* body{nullptr};    ///< for verbs that elements do not support, such as Verb::pull; not owned
  Waker* waker{nullptr};           ///< called when an operation under way may have become ready; not owned
  /// Out: set by `begin` and `ready` of a stage that acts by the clock. The caller should poll again at this
  /// time even if the waker was not called. Each call may change it.
  Deadline look_again{Deadline::never()};

  Status status{Status::under_way};  ///< out
  /// Out, for From::after: the number of tuples between the given `sequence` and the found tuple that a full
  /// element discarded. Tuples that were taken, or dropped by Verb::discard, do not count.
  std::uint64_t missed{0};
  std::string reason;  ///< out, unless the status is ok: the cause, if known
};

}  // namespace eventspace
