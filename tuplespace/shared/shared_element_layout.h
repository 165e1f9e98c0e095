#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "tuplespace/discard_history.h"
#include "tuplespace/element.h"
#include "tuplespace/shared/robust_lock.h"

namespace eventspace::shared_element {

// The memory of one shared element; native byte order, every section aligned to 64 bytes. All zero is an
// open, empty element.
//
//     Control | Signal x 2 | Account x 2 | Discards x 2 | rows x Row | arena x byte
//
// The tuples kept are the rows [first, end), except rows that are marked as gone; row number n lies at place
// n modulo `rows`. A small tuple lies in its row. The bytes of larger tuples lie in the arena in the same
// order; position p lies at place p modulo `arena`, so a tuple may lie in two pieces, at the end and at the
// beginning. Row numbers and positions wrap around.
//
// The current state is one of the two Ledgers and one of the two Accounts, as selected by Control::active.
// The others hold the previous state. The thread that holds the lock makes a change in these steps:
//   1. it writes new rows, bytes, Account and Discards to memory that the current state does not use,
//   2. writes a complete new Ledger over the ledger that is not current,
//   3. stores Control::active: before this store, nothing has happened; after it, the whole change has
//      happened,
//   4. marks as gone the row that the Account names, if any. If the thread dies before it does, the next
//      holder of the lock does it (SharedTuples::mend); doing it twice is harmless.
//
// Passing a small tuple to another core touches three cache lines: Control, a Row, and the Signal if a thread
// waits.

/// Why an element no longer accepts operations.
enum class Ending : std::uint32_t {
  open = 0,
  closed = 1,    ///< its home process has closed it, or has left
  orphaned = 2,  ///< its home process is gone without having closed it
  damaged = 3    ///< its memory holds impossible values
};

/// The events that operations wait for. Bits of Control::awaited.
enum class Event : std::uint32_t { tuple_came = 1, room_came = 2 };

/// The parts of the state that most operations change.
struct Ledger {
  std::uint64_t written;
  std::uint32_t first;       ///< number of the oldest row, which is never gone; end if empty
  std::uint32_t end;         ///< number of the next row
  std::uint32_t position;    ///< in the arena, of the next tuple's bytes
  std::uint32_t kept_bytes;  ///< of the encodings of all tuples kept, in rows and arena
};
static_assert(sizeof(Ledger) == 24);

/// Bits of Control::active.
enum Active : std::uint32_t {
  second_ledger = 1,
  second_account = 2,
  names_gone = 4  ///< the change took a row from the middle: Account::gone
};

struct alignas(64) Control {
  RobustLock lock;
  std::atomic<std::uint32_t> active;
  std::atomic<Ending> ending;
  std::uint32_t awaited;  ///< the Events that threads wait for since they were last signalled
  Ledger ledgers[2];
};
static_assert(sizeof(Control) == 64);

/// The rest of the state. The number of tuples taken is not stored: it follows from the others, see
/// SharedTuples::counts.
struct alignas(64) Account {
  std::uint64_t discarded;
  std::uint64_t dropped;
  std::uint64_t refused;
  DiscardHistory::Span newest_discard;  ///< comes after those in Discards; count 0 if none
  std::uint32_t discards;               ///< modulo 2: index of the current Discards
  std::uint32_t gaps;                   ///< number of rows in [first, end) that are marked as gone
  std::uint32_t gone;                   ///< number of a row; see Active::names_gone
};
static_assert(sizeof(Account) == 64);

/// The older spans of a DiscardHistory. The newest span is in the Account, so that consecutive discards do
/// not change this.
struct Discards {
  std::uint64_t count;
  std::array<DiscardHistory::Span, DiscardHistory::max_spans> spans;
};
static_assert(sizeof(Discards) == 1544);

/// A signal on which threads wait for an Event. Its count is incremented only if the Event was awaited, and
/// after the element is unlocked, so that threads that poll the count do not then block on the lock.
///
/// The count and the bit are one word, and a futex. If the bit were beside the count, a thread that raises
/// the signal could clear the bit of a thread that has just seen the new count and is about to sleep.
struct alignas(64) Signal {
  static constexpr std::uint32_t has_sleepers = 1;  ///< threads may sleep on the word
  static constexpr std::uint32_t once = 2;          ///< the amount that raising the signal adds to the word
  std::atomic<std::uint32_t> word;
};

struct alignas(64) Row {
  std::uint64_t sequence;
  std::uint32_t position;  ///< in the arena; set even if the bytes are in this row
  std::uint32_t size;
  std::atomic<std::uint32_t> gone;
  std::array<std::byte, 44> bytes;  ///< the tuple's encoding, if it fits
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

/// The division of an element's memory. `rows` and `arena` are powers of two, and at least twice the size of
/// the kept tuples, so that all of these can be copied within the free half: see SharedTuples::close_gaps.
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
