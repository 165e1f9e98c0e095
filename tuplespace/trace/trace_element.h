#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace eventspace {

/// A trace tuple as stored: eight words, one cache line where it is recorded. What the words mean is the
/// event record's affair (collectors/event_record.h), but for word 0: the sequence number of the tuple in its
/// element, from 1. Copies lie at any address of words: memory for them is that of everything else.
struct TraceTuple {
  std::array<std::uint64_t, 8> words{};
  friend bool operator==(const TraceTuple&, const TraceTuple&) = default;
};
static_assert(sizeof(TraceTuple) == 64);

/// The memory of trace elements: rings, each of which one writer fills and any number of readers, in any
/// process, copy from without slowing it (design: recording never waits).
///
/// A ring is a head and n = threshold + 1 slots of a cache line each; tuple s lies in slot (s - 1) mod n. The
/// head is a word, published: the newest finished sequence number. Rings of one thread share a block, each in
/// a lane of its own, so that what a thread records at one time on its paths lies side by side: eight heads
/// to a line, as no other thread writes them, and the slots with one number in one page rather than in as
/// many as the thread has paths. A block of three lanes, a line each:
///
///     head 0, head 1, head 2 | slot 0 of 0 | slot 0 of 1 | slot 0 of 2 | slot 1 of 0 | slot 1 of 1 | ...
///
/// Protocol, with h = published:
/// 1. The writer fills words 1..3 of slot(h+1), then word 0 with h+1 when an operation starts; words 4..7,
///    then published = h+1, when it ends. All of these are release stores.
/// 2. So slot(h+1) with word 0 equal to h+1 is the operation in flight; any other word 0 there is stale.
/// 3. slot(s) is written again at the earliest when published = s + threshold. A reader that copies
///    slot(s) with acquire loads and then finds published < s + threshold has a whole tuple s: had it seen
///    a word of a later tuple, it would see the published that came before it.
/// 4. Hence exactly the last `threshold` finished tuples can be read.
///
/// On x86-64 every access compiles to a plain move. tests/tuplespace/trace/ring_model_test.cpp enumerates the
/// interleavings.
struct TraceRing {
  using Word = std::atomic<std::uint64_t>;
  static_assert(Word::is_always_lock_free && sizeof(Word) == 8);
  static constexpr std::size_t words_per_slot = 8;
  static constexpr std::size_t line_bytes = sizeof(TraceTuple);

  /// Beyond so many a busy path among idle ones would touch a page for each event.
  static constexpr std::uint16_t max_lanes = 16;

  /// The lines before the first slot of a block.
  static constexpr std::size_t head_lines(std::uint16_t lanes) noexcept {
    return (lanes + words_per_slot - 1) / words_per_slot;
  }
  /// Bytes of a block of so many rings of this threshold; a multiple of 64. A ring takes threshold + 2 cache
  /// lines at most.
  static constexpr std::size_t bytes(std::uint32_t threshold, std::uint16_t lanes = 1) noexcept {
    return (head_lines(lanes) + (static_cast<std::size_t>(threshold) + 1) * lanes) * line_bytes;
  }
  /// The word of a block, counted from its beginning, at which slot 0 of a lane begins.
  static constexpr std::size_t first_slot(std::uint16_t lanes, std::uint16_t lane) noexcept {
    return (head_lines(lanes) + lane) * words_per_slot;
  }
};

/// The one writer of a trace element. begin and end never wait, allocate, call the system or fail.
/// Used by one thread at a time; a hand-over to another needs a happens-before.
///
/// Small, so that an event collector lies in one cache line with it: the sequence number is read from the
/// head, which has to be in the cache anyway. The next slot is not fetched ahead: by the time it is filled it
/// has left the cache again, or the thread the core, and what a thread records at one time lies side by side.
class TraceWriter {
 public:
  TraceWriter() = default;  ///< unusable until assigned from a real one
  /// `block` is aligned to 64, and its TraceRing::bytes(threshold, lanes) outlive the writer: zeroed, or left
  /// by an earlier writer, whose tuples this one continues.
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

  /// The start half of the next tuple: it becomes the operation in flight. Another start half may replace it
  /// before its end; while that is written, a reader may see words of both in flight.
  void begin(std::uint64_t word1, std::uint64_t word2, std::uint64_t word3) noexcept {
    TraceRing::Word* const slot = slot_;  // else it would be loaded again behind each store
    slot[1].store(word1, std::memory_order_release);
    slot[2].store(word2, std::memory_order_release);
    slot[3].store(word3, std::memory_order_release);
    slot[0].store(next_sequence(), std::memory_order_release);
  }

  /// The end half of the tuple begun last; publishes it.
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
  TraceRing::Word* slot_{nullptr};  // of the next tuple
  std::uint32_t slots_to_wrap_{0};  // that follow it before slot 0 does
  std::uint32_t threshold_ : 26 {0};
  std::uint32_t lanes_ : 6 {1};
};
static_assert(sizeof(TraceWriter) == 24);

/// A reader of a trace element: copies, never writes. Trivially copyable; any number of them, anywhere.
class TraceReader {
 public:
  TraceReader() = default;  ///< unusable until assigned from a real one
  /// As for the writer.
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
    std::uint64_t last{0};       ///< pass as `after` next time
    std::uint64_t discarded{0};  ///< tuples after `after` that went before they could be read
    std::uint64_t torn{0};       ///< tuples refused as their slot did not hold their number (damage)
    std::size_t copied{0};
  };
  /// Appends to `out` the finished tuples with sequence numbers above `after`, oldest first, at most
  /// `limit`. copied + discarded + torn = last - after. An `after` above published is taken as published.
  Batch read_after(std::uint64_t after, std::size_t limit, std::vector<TraceTuple>& out) const;

  /// The newest finished tuple; nothing when there is none, or when the writer lapped every attempt.
  [[nodiscard]] std::optional<TraceTuple> newest() const noexcept;

  /// The start half of the operation in flight, words 4..7 zero; nothing when none is.
  [[nodiscard]] std::optional<TraceTuple> in_flight() const noexcept;

  /// Appends what newest and then what in_flight would yield, at half of their cost together. Whether the
  /// last one appended is an operation in flight.
  bool read_newest(std::vector<TraceTuple>& out) const;
  /// The same of many, in their order; `begun` is told of each operation in flight. What lies in memory is
  /// fetched ahead, while others are copied.
  static void read_newest(std::span<const TraceReader> readers, std::vector<TraceTuple>& out,
                          void (*begun)(TraceTuple& tuple));

 private:
  /// Where the newest tuple and the one after it lie; nowhere when there is no newest.
  struct Place {
    std::uint64_t head{0};
    const TraceRing::Word* newest{nullptr};
    const TraceRing::Word* next{nullptr};
  };
  [[nodiscard]] Place look() const noexcept;
  enum class Read : std::uint8_t { nothing, newest, with_begun };
  Read read_at_rest(const Place& place, std::vector<TraceTuple>& out) const;
  bool read_newest_apart(std::vector<TraceTuple>& out) const;

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
