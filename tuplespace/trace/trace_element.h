#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace eventspace {

/// A trace tuple as stored: eight words, one cache line in the ring. Word 0 is the sequence number of the
/// tuple in its element, from 1; the others are those of a record (collectors/record_header.h). Word 4 of a
/// finished tuple is not 0: it is 0 in what readers return as in flight, together with words 5 to 7 unless
/// the start half has them (TraceWriter::begin_wide). Copies need only the alignment of a word.
struct TraceTuple {
  std::array<std::uint64_t, 8> words{};
  friend bool operator==(const TraceTuple&, const TraceTuple&) = default;
};
static_assert(sizeof(TraceTuple) == 64);

/// The memory of trace elements: rings. Each has one writer, and any number of readers in any process that
/// copy from it without slowing the writer. Writing never waits.
///
/// A ring has a head, a floor, and n = threshold + 1 slots of one cache line each; tuple s lies in slot (s -
/// 1) mod n. The head is one word, `published`: the newest finished sequence number. The floor is also one
/// word: the number up to which the owner has emptied the ring. The rings of one thread share a block, each
/// in its own lane, so that the tuples that a thread records at about the same time on its paths are
/// adjacent. Eight heads share a cache line, because only this thread writes them, and the slots with one
/// number are in one page instead of in as many pages as the thread has paths. A block of three lanes, one
/// cache line each:
///
///     head 0, 1, 2 | floor 0, 1, 2 | slot 0 of 0 | slot 0 of 1 | slot 0 of 2 | slot 1 of 0 | slot 1 of 1 |
///     ...
///
/// Protocol, with h = published:
/// 1. When an operation starts, the writer fills words 1..3 of slot(h+1), then word 0 with h+1. When it ends,
///    it fills words 4..7, then sets published = h+1. All of these are release stores. A wide start half also
///    has words 5..7: the writer fills word 4 with 0, then words 5..7, then words 1..3 and word 0.
/// 2. So if word 0 of slot(h+1) equals h+1, that slot holds the operation in flight; any other word 0 there
///    is stale.
/// 3. slot(s) is not overwritten before published = s + threshold. A reader that copies slot(s) with acquire
///    loads and then finds published < s + threshold has a whole tuple s: had it seen a word of a later
///    tuple, it would also see the value of published stored before that word.
/// 4. Hence exactly the last `threshold` finished tuples can be read, without those up to the floor.
/// 5. To empty the ring, any thread of the owner loads h = published, then sets floor = h with a release
///    store, unless the floor is higher. The writer neither reads nor writes the floor. A reader loads the
///    floor before the head, and so never sees a floor above the head; a higher floor is damage.
/// 6. A reader of the operation in flight that copies words 5..7 and then finds 0 in word 4 has the words of
///    a wide start half: the end half fills word 4 first, so a reader that saw a word of it would also see
///    its word 4. If it finds another value, the start half lacks these words, or the operation is ending.
///
/// On x86-64 every access compiles to a plain move. In tests/tuplespace/trace, ring_model_test.cpp enumerates
/// the interleavings of points 1 to 5, and wide_start_model_test.cpp those of a writer with wide start halves
/// and a reader of the operation in flight.
struct TraceRing {
  using Word = std::atomic<std::uint64_t>;
  static_assert(Word::is_always_lock_free && sizeof(Word) == 8);
  static constexpr std::size_t words_per_slot = 8;
  static constexpr std::size_t line_bytes = sizeof(TraceTuple);

  /// With more lanes, a busy path among idle paths would touch a new page for each event.
  static constexpr std::uint16_t max_lanes = 16;

  /// The cache lines of heads at the beginning of a block; as many lines of floors follow.
  static constexpr std::size_t head_lines(std::uint16_t lanes) noexcept {
    return (lanes + words_per_slot - 1) / words_per_slot;
  }
  /// The bytes of a block of `lanes` rings of this threshold; a multiple of 64. A ring takes at most
  /// threshold + 3 cache lines.
  static constexpr std::size_t bytes(std::uint32_t threshold, std::uint16_t lanes = 1) noexcept {
    return (2 * head_lines(lanes) + (static_cast<std::size_t>(threshold) + 1) * lanes) * line_bytes;
  }
  /// The index of the word in a block that is the floor of a lane.
  static constexpr std::size_t floor(std::uint16_t lanes, std::uint16_t lane) noexcept {
    return head_lines(lanes) * words_per_slot + lane;
  }
  /// The index of the word in a block at which slot 0 of a lane begins.
  static constexpr std::size_t first_slot(std::uint16_t lanes, std::uint16_t lane) noexcept {
    return (2 * head_lines(lanes) + lane) * words_per_slot;
  }

  /// Empties a ring: later reads do not yield the tuples finished so far, and readers count unread ones as
  /// emptied. The operation in flight stays. `block` as for TraceWriter, in memory of the process that writes
  /// the ring. Thread-safe, also while the writer writes and readers read; lock-free.
  static void empty(std::byte* block, std::uint16_t lanes = 1, std::uint16_t lane = 0) noexcept;
};

/// The one writer of a trace element. begin() and end() never wait, allocate, make a system call or fail.
///
/// Used by one thread at a time; passing it to another thread needs a happens-before edge.
///
/// It is small, so that it fits into one cache line with an event collector: the sequence number is read from
/// the head, which has to be in the cache anyway. The next slot is not prefetched: before it is filled, it
/// leaves the cache again, or the thread leaves the core; and the tuples that a thread records at one time
/// are adjacent anyway.
class TraceWriter {
 public:
  TraceWriter() = default;  ///< unusable until another writer is assigned to it
  /// `block` is aligned to 64; its TraceRing::bytes(threshold, lanes) bytes outlive the writer. They are
  /// zero, or hold the tuples of an earlier writer, which this writer continues.
  TraceWriter(std::byte* block, std::uint32_t threshold, std::uint16_t lanes = 1,
              std::uint16_t lane = 0) noexcept
      : published_(reinterpret_cast<TraceRing::Word*>(block) + lane),
        slots_to_wrap_(threshold - static_cast<std::uint32_t>(published_->load(std::memory_order_relaxed) %
                                                              (std::uint64_t{threshold} + 1))),
        threshold_(threshold & 0x3ff'ffff),
        lanes_(lanes & 0x3f) {
    slot_ = reinterpret_cast<TraceRing::Word*>(block) + TraceRing::first_slot(lanes, lane) +
            stride() * (threshold - slots_to_wrap_);
  }

  /// Writes the start half of the next tuple, which becomes the operation in flight. Another start half may
  /// replace it before end(); while that is being written, a reader may see words of both as in flight.
  void begin(std::uint64_t word1, std::uint64_t word2, std::uint64_t word3) noexcept {
    TraceRing::Word* const slot = slot_;  // a local copy: otherwise each store would be followed by a reload
    slot[1].store(word1, std::memory_order_release);
    slot[2].store(word2, std::memory_order_release);
    slot[3].store(word3, std::memory_order_release);
    slot[0].store(next_sequence(), std::memory_order_release);
  }

  /// The same with words 5..7, which readers of the operation in flight see until end() replaces them.
  /// `word7` must not be 0, so that a reader can detect them. Costs four more stores. A tuple that was begun
  /// this way may be begun again only by begin_wide().
  void begin_wide(std::uint64_t word1, std::uint64_t word2, std::uint64_t word3, std::uint64_t word5,
                  std::uint64_t word6, std::uint64_t word7) noexcept {
    TraceRing::Word* const slot = slot_;
    slot[4].store(0, std::memory_order_release);
    slot[5].store(word5, std::memory_order_release);
    slot[6].store(word6, std::memory_order_release);
    slot[7].store(word7, std::memory_order_release);
    begin(word1, word2, word3);
  }

  /// Writes the end half of the tuple begun last, and publishes the tuple.
  void end(std::uint64_t word4, std::uint64_t word5, std::uint64_t word6, std::uint64_t word7) noexcept {
    TraceRing::Word* const slot = slot_;
    slot[4].store(word4, std::memory_order_release);
    slot[5].store(word5, std::memory_order_release);
    slot[6].store(word6, std::memory_order_release);
    slot[7].store(word7, std::memory_order_release);
    published_->store(next_sequence(), std::memory_order_release);
    if (slots_to_wrap_ == 0) {
      slots_to_wrap_ = threshold_;
      slot_ = slot - stride() * threshold_;
    } else {
      --slots_to_wrap_;
      slot_ = slot + stride();
    }
  }

 private:
  [[nodiscard]] std::uint64_t next_sequence() const noexcept {
    return published_->load(std::memory_order_relaxed) + 1;
  }
  [[nodiscard]] std::size_t stride() const noexcept { return lanes_ * TraceRing::words_per_slot; }

  TraceRing::Word* published_{nullptr};
  TraceRing::Word* slot_{nullptr};  // the slot of the next tuple
  std::uint32_t slots_to_wrap_{0};  // the number of slots between slot_ and the end of the ring
  std::uint32_t threshold_ : 26 {0};
  std::uint32_t lanes_ : 6 {1};
};
static_assert(sizeof(TraceWriter) == 24);

/// A reader of a trace element. It copies tuples and never writes, so it cannot affect the writer. Trivially
/// copyable, thread-safe; any number of readers may exist, in any process.
class TraceReader {
 public:
  TraceReader() = default;  ///< unusable until another reader is assigned to it
  /// The same requirements as for TraceWriter.
  TraceReader(const std::byte* block, std::uint32_t threshold, std::uint16_t lanes = 1,
              std::uint16_t lane = 0) noexcept
      : published_(reinterpret_cast<const TraceRing::Word*>(block) + lane),
        slots_(reinterpret_cast<const TraceRing::Word*>(block) + TraceRing::first_slot(lanes, lane)),
        threshold_(threshold),
        lanes_(lanes) {}

  [[nodiscard]] std::uint32_t threshold() const noexcept { return threshold_; }
  [[nodiscard]] std::uint64_t published() const noexcept {
    return published_->load(std::memory_order_acquire);
  }

  struct Batch {
    std::uint64_t last{0};       ///< to pass as `after` to the next call
    std::uint64_t discarded{0};  ///< tuples after `after` that were overwritten before they could be read
    std::uint64_t emptied{0};    ///< tuples after `after` that the owner emptied before they were read
    std::uint64_t torn{0};       ///< tuples refused because their slot held another number (damage)
    std::size_t copied{0};
  };
  /// Appends to `out` the finished tuples with sequence numbers above `after`, oldest first, at most `limit`.
  /// copied + discarded + emptied + torn = last - after. If `after` is above published(), it counts as
  /// published(). Tuples up to the floor count as emptied if the ring held them when it was last emptied; the
  /// others count as discarded.
  Batch read_after(std::uint64_t after, std::size_t limit, std::vector<TraceTuple>& out) const;

  /// Returns the number of finished tuples after `after` that are kept and not emptied.
  [[nodiscard]] std::uint64_t kept_after(std::uint64_t after) const noexcept;

  /// Returns the newest finished tuple; nullopt if there is none, or if the writer overtook every attempt.
  [[nodiscard]] std::optional<TraceTuple> newest() const noexcept;

  /// Returns the start half of the operation in flight, with word 4 zero, and words 5..7 zero unless the
  /// start half is wide; nullopt if no operation is in flight. Words 5..7 of an operation that is ending are
  /// zero.
  [[nodiscard]] std::optional<TraceTuple> in_flight() const noexcept;

  /// Appends the results of newest() and in_flight(), in this order, at half of the cost of both. Returns
  /// whether the last tuple appended is an operation in flight.
  bool read_newest(std::vector<TraceTuple>& out) const;
  /// The same for many readers, in their order. Memory of later readers is prefetched while earlier ones are
  /// copied.
  static void read_newest(std::span<const TraceReader> readers, std::vector<TraceTuple>& out);

 private:
  /// The places of the newest tuple and of the next tuple; null if the ring is empty.
  struct Place {
    std::uint64_t head{0};
    const TraceRing::Word* newest{nullptr};
    const TraceRing::Word* next{nullptr};
  };
  [[nodiscard]] Place look() const noexcept;
  /// The floor and the head, in the order of point 5 of the protocol. A damaged floor counts as 0.
  struct Ends {
    std::uint64_t floor{0};
    std::uint64_t head{0};
  };
  [[nodiscard]] Ends ends() const noexcept;
  enum class Read : std::uint8_t { nothing, newest, with_begun };
  Read read_at_rest(const Place& place, std::vector<TraceTuple>& out) const;
  bool read_newest_apart(std::vector<TraceTuple>& out) const;

  // Computed, not stored: pulls read thousands of readers.
  [[nodiscard]] const TraceRing::Word* floor() const noexcept {
    return published_ + TraceRing::floor(lanes_, 0);
  }
  [[nodiscard]] std::uint64_t index(std::uint64_t sequence) const noexcept {
    return (sequence - 1) % (static_cast<std::uint64_t>(threshold_) + 1);
  }
  [[nodiscard]] std::size_t stride() const noexcept { return lanes_ * TraceRing::words_per_slot; }
  [[nodiscard]] const TraceRing::Word* slot(std::uint64_t sequence) const noexcept {
    return slots_ + index(sequence) * stride();
  }

  const TraceRing::Word* published_{nullptr};
  const TraceRing::Word* slots_{nullptr};
  std::uint32_t threshold_{0};
  std::uint16_t lanes_{1};
};

}  // namespace eventspace
