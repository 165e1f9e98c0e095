#pragma once
// Private to tuplespace/.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "tuplespace/discard_history.h"
#include "tuplespace/element.h"
#include "tuplespace/robust_lock.h"

namespace eventspace::shared_element {

// The memory of one shared element; native byte order, every part aligned to 64 bytes. All zero is an open
// element that nothing was written to.
//
//     Signal x 2 | Control | Ledger x 2 | Discards x 2 | rows x Row | arena x byte
//
// The tuples kept are rows [first, end) but for those that are gone; a row's number modulo `rows` is its
// place. Their bytes lie in the arena in the same order; a position modulo `arena` is its place, so that a
// tuple may lie half at the end and half at the beginning.
//
// Only one of the two Ledgers counts: the one that Control::active numbers (the other holds the one before).
// Whoever has the lock makes a change
//   1. with new rows, bytes and Discards where the Ledger that counts has none,
//   2. with a whole new Ledger in the place of the one that does not count,
//   3. by storing Control::active: before, nothing has happened; after, everything has;
//   4. and marks as gone the row that the new Ledger names, if any: not a second step, as whoever finds
//      that its predecessor died marks it once more.

/// Those who wait for one kind of change, in shared memory. Its count moves after the change, when the
/// element is unlocked, so that whoever looks out for it does not run into the lock.
struct alignas(64) Signal {
  std::atomic<std::uint32_t> count;     ///< a futex: moves with each change that may help
  std::atomic<std::uint32_t> sleepers;  ///< not 0 when somebody may sleep on it
};

/// Why nothing is done with an element any more.
enum class Ending : std::uint32_t {
  open = 0,
  closed = 1,    ///< its process has closed it, or has left
  orphaned = 2,  ///< its process is gone without a word
  damaged = 3    ///< what lies in it makes no sense
};

struct alignas(64) Control {
  RobustLock lock;
  std::atomic<std::uint32_t> active;
  std::atomic<Ending> ending;
};

struct Ledger {
  std::uint64_t written;
  std::uint64_t taken;
  std::uint64_t discarded;
  std::uint64_t dropped;
  std::uint64_t refused;
  std::uint64_t kept;        ///< tuples
  std::uint64_t kept_bytes;  ///< and their bytes
  std::uint64_t first;       ///< number of the oldest row, which is kept, unless first is end
  std::uint64_t end;         ///< number of the next row
  std::uint64_t position;    ///< in the arena, of the next tuple's bytes
  std::uint64_t gone;        ///< 1 + the number of a row between others that this change took; 0: none
  std::uint64_t discards;    ///< which Discards count; modulo 2
  DiscardHistory::Span newest_discard;  ///< follows those; its count is 0 when there is none
  std::uint64_t reserved;
};
static_assert(sizeof(Ledger) == 128);

/// The older spans of a DiscardHistory. The newest one is in the Ledger: discards in a row touch nothing
/// else.
struct Discards {
  std::uint64_t count;
  std::array<DiscardHistory::Span, DiscardHistory::max_spans> spans;
};
static_assert(sizeof(Discards) == 1544);

struct Row {
  std::uint64_t sequence;
  std::uint64_t position;
  std::uint32_t size;
  std::atomic<std::uint32_t> gone;
};
static_assert(sizeof(Row) == 24);

struct Head {
  Signal tuple_came;
  Signal room_came;
  Control control;
  alignas(64) Ledger ledgers[2];
  alignas(64) Discards discards[2];
};
static_assert(sizeof(Head) == 3 * 64 + 2 * 128 + 3136);

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
