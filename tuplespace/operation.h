#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tuplespace/system/deadline.h"
#include "tuplespace/tuple.h"

namespace eventspace {

/// What is done to an element. The numbers are part of the record and wire formats.
enum class Verb : std::uint8_t {
  write = 1,    ///< Linda's out
  read = 2,     ///< Linda's rd: the tuple stays
  take = 3,     ///< Linda's in: the tuple goes
  discard = 4,  ///< drops every tuple up to and including a sequence number
  pull = 5,     ///< one read through an event scope
  exchange =
      6  ///< contributes a tuple to a collective operation and gets its result (paths/joints/collective.h)
};
std::string_view to_string(Verb verb) noexcept;
/// Whether doing it twice is doing it once, so that an operation without answer has certainly changed
/// nothing.
constexpr bool changes_nothing(Verb verb) noexcept { return verb == Verb::read || verb == Verb::pull; }

/// Where a read or take starts to look; it then goes towards newer tuples. When none of the tuples kept will
/// do, it waits for the next one written that does.
enum class From : std::uint8_t {
  oldest = 0,  ///< the oldest tuple kept
  newest = 1,  ///< the newest tuple kept, and no older one
  at = 2,      ///< exactly `Operation::sequence`: Status::gone when it went already, and at once
               ///< Status::empty when it is there and does not match
  after = 3    ///< the first one after `Operation::sequence`: "next for this reader"
};

/// How an operation ended. The numbers are part of the record and wire formats.
enum class Status : std::uint8_t {
  ok = 0,
  under_way = 1,  ///< begun and not finished
  empty = 2,      ///< no tuple matches: now (non-blocking form), or ever (From::at)
  full = 3,       ///< non-blocking form: the element waits for room
  timed_out = 4,  ///< the deadline passed first; nothing was done
  gone = 5,       ///< the tuple asked for by number was discarded, dropped or taken before
  closed = 6,     ///< the element, or the server on the way to it, has ended, or cannot be reached any more
  refused = 7     ///< the element, or a server on the way, refused: wrong signature, too large, unknown name
};
std::string_view to_string(Status status) noexcept;

/// Told, from any thread and at most once per registration, that an operation that found the element empty
/// or full is worth trying again; it may find it empty or full once more. Called with the element locked: it
/// must not block, must not call into the element, and a lock that it takes must not be held by anyone who
/// calls the element. Whoever owns it has it forgotten (Element::forget) before it goes.
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
  std::uint64_t id{1};     ///< of this operation; rises with each one through a stage
  std::uint64_t after{0};  ///< the last one whose result is known to have arrived; 0: none yet
};

/// One operation on its way to an element and its outcome on the way back. Owned by the caller; it must
/// stay where it is from begin to finish. One thread at a time.
struct Operation {
  Verb verb{Verb::write};
  From from{From::oldest};
  /// In: the number for From::at and From::after, or the last to go for Verb::discard.
  /// Out: the sequence number (from 1) of the tuple written, read or taken; of an exchange, that of the
  /// collective operation, the same for all who take part in it.
  std::uint64_t sequence{0};
  Deadline deadline{Deadline::never()};
  /// How many bytes of an encoded tuple whoever asks can receive: a read or take that finds a larger one is
  /// refused, and the tuple stays.
  std::size_t most_bytes{SIZE_MAX};
  Tuple tuple;  ///< in for write, which leaves it as it is; out for read and take; both for exchange
  const Template* match{nullptr};  ///< selects tuples for read and take; null selects all; not owned
  OperationBody* body{nullptr};    ///< of verbs that no element knows, such as Verb::pull; not owned
  Waker* waker{nullptr};           ///< told when an operation that is not ready may have become so; not owned
  /// Out of begin and ready of a stage that acts by the clock: when it is worth asking again though the waker
  /// was not told. Each of them may set it anew.
  Deadline look_again{Deadline::never()};

  Status status{Status::under_way};  ///< out
  /// Out, From::after: how many tuples between `sequence` as given and the one found a full element
  /// discarded. Those that somebody took or dropped on purpose (Verb::discard) do not count.
  std::uint64_t missed{0};
  std::string reason;  ///< out, unless the status is ok: what was wrong, when it is known
};

}  // namespace eventspace
