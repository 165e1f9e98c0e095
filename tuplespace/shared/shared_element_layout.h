#pragma once

// Private to tuplespace/.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "tuplespace/discard_history.h"
#include "tuplespace/element.h"
#include "tuplespace/shared/robust_lock.h"

namespace eventspace::shared_element {

// The memory of one shared element; native byte order, every part aligned to 64 bytes. All zero is an open
// element that nothing was written to.
//
//     Control | Signal x 2 | Account x 2 | Discards x 2 | rows x Row | arena x byte
//
// The tuples kept are rows [first, end) but for those that are gone; a row's number modulo `rows` is its
// place. Small tuples lie in their rows. The bytes of others lie in the arena in the same order; a position
// modulo `arena` is its place, so that a tuple may lie half at the end and half at the beginning. Numbers of
// rows and positions wrap around.
//
// The state is one of the two Ledgers and one of the two Accounts: those that Control::active names. The
// others hold what counted before. Whoever has the lock makes a change
//   1. with new rows, bytes, Account and Discards where the state has none,
//   2. with a whole new Ledger in the place of the one that does not count,
//   3. by storing Control::active: before, nothing has happened; after, everything has;
//   4. and marks as gone the row that the change names, if any: not a second step, as whoever finds that
//      its predecessor died marks it once more.
//
// A small tuple is handed to another core in three cache lines: Control, a Row, and the Signal if somebody
// waits.

/// Why nothing is done with an element any more.
enum class Ending : std::uint32_t {
  open = 0,
  closed = 1,    ///< its process has closed it, or has left
  orphaned = 2,  ///< its process is gone without a word
  damaged = 3    ///< what lies in it makes no sense
};

/// What is waited for. Bits of Control::awaited.
enum class Event : std::uint32_t { tuple_came = 1, room_came = 2 };

/// The state of the element, as far as most changes change it.
struct Ledger {
  std::uint64_t written;
  std::uint32_t first;       ///< number of the oldest row, which is kept, unless first is end
  std::uint32_t end;         ///< number of the next row
  std::uint32_t position;    ///< in the arena, of the next tuple's bytes
  std::uint32_t kept_bytes;  ///< of the encodings of all tuples kept, wherever they lie
};
static_assert(sizeof(Ledger) == 24);

/// Bits of Control::active.
enum Active : std::uint32_t {
  second_ledger = 1,
  second_account = 2,
  names_gone = 4  ///< the change took a row between others: Account::gone
};

struct alignas(64) Control {
  RobustLock lock;
  std::atomic<std::uint32_t> active;
  std::atomic<Ending> ending;
  std::uint32_t awaited;  ///< the Events that somebody has waited for since they were last signalled
  Ledger ledgers[2];
};
static_assert(sizeof(Control) == 64);

/// The rest of the state. What was taken is what was written and is neither here nor kept.
struct alignas(64) Account {
  std::uint64_t discarded;
  std::uint64_t dropped;
  std::uint64_t refused;
  DiscardHistory::Span newest_discard;  ///< follows the Discards; its count is 0 when there is none
  std::uint32_t discards;               ///< which Discards count; modulo 2
  std::uint32_t gaps;                   ///< how many rows in [first, end) are gone
  std::uint32_t gone;                   ///< number of a row; see Active::names_gone
};
static_assert(sizeof(Account) == 64);

/// The older spans of a DiscardHistory. The newest one is in the Account: discards in a row touch nothing
/// else.
struct Discards {
  std::uint64_t count;
  std::array<DiscardHistory::Span, DiscardHistory::max_spans> spans;
};
static_assert(sizeof(Discards) == 1544);

/// Those who wait for an Event. The count moves after the change, when the element is unlocked, so that
/// whoever looks out for it does not run into the lock; and only if the Event was awaited.
struct alignas(64) Signal {
  std::atomic<std::uint32_t> count;     ///< a futex
  std::atomic<std::uint32_t> sleepers;  ///< not 0 when somebody may sleep on it
};

struct alignas(64) Row {
  std::uint64_t sequence;
  std::uint32_t position;  ///< in the arena, also when the bytes are here
  std::uint32_t size;
  std::atomic<std::uint32_t> gone;
  std::array<std::byte, 44> bytes;  ///< of the tuple, if they fit
};
static_assert(sizeof(Row) == 64);

struct Head {
  Control control;
  Signal tuple_came;
  Signal room_came;
  Account accounts[2];
  alignas(64) Discards discards[2];
};
static_assert(sizeof(Head) == 5 * 64 + 3136);

inline constexpr std::uint64_t min_room = 64;
inline constexpr std::uint64_t max_room = std::uint64_t{1} << 30;

/// How the memory of an element is divided. Powers of two. Both have at least twice the room that tuples may
/// fill, so that what is kept can be written once more beside itself: see SharedTuples::close_gaps.
struct Geometry {
  std::uint64_t most;   ///< tuples that can be kept
  std::uint64_t room;   ///< bytes that their encodings may fill
  std::uint64_t rows;   ///< at least 2 * most
  std::uint64_t arena;  ///< at least 2 * room
  std::uint64_t total;  ///< bytes of memory, a multiple of 64

  Geometry(const ElementConfig& config, std::uint64_t room_bytes) noexcept;
  [[nodiscard]] std::uint64_t arena_offset() const noexcept;
};

}  // namespace eventspace::shared_element
