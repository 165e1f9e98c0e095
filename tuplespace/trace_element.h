#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace eventspace {

/// A trace tuple as stored: eight words, one cache line. What the words mean is the event record's affair
/// (collectors/event_record.h), but for word 0: the sequence number of the tuple in its element, from 1.
struct alignas(64) TraceTuple {
  std::array<std::uint64_t, 8> words{};
  friend bool operator==(const TraceTuple&, const TraceTuple&) = default;
};
static_assert(sizeof(TraceTuple) == 64);

/// The memory of one trace element: a ring that one writer fills and any number of readers, in any
/// process, copy from without slowing it (design: recording never waits).
///
///     line 0      published: the newest finished sequence number, alone on its cache line
///     line 1..n   n = threshold + 1 slots; tuple s lies in slot (s - 1) mod n
///
/// The lines of one ring are `lanes` cache lines apart: rings of one thread share a block, each in a lane of
/// its own, so that what a thread records at one time on its paths lies side by side, in one page rather than
/// in as many as it has paths:
///
///     published 0 | published 1 | published 2 | slot 0 of 0 | slot 0 of 1 | slot 0 of 2 | slot 1 of 0 | ...
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
/// On x86-64 every access compiles to a plain move. tests/tuplespace/ring_model_test.cpp enumerates the
/// interleavings.
struct TraceRing {
  using Word = std::atomic<std::uint64_t>;
  static_assert(Word::is_always_lock_free && sizeof(Word) == 8);
  static constexpr std::size_t words_per_slot = 8;

  /// Beyond so many a busy path among idle ones would touch a page for each event.
  static constexpr std::uint16_t max_lanes = 16;

  /// Bytes of a ring of this threshold; a multiple of 64. (threshold + 2 cache lines)
  static constexpr std::size_t bytes(std::uint32_t threshold) noexcept {
    return (static_cast<std::size_t>(threshold) + 2) * sizeof(TraceTuple);
  }
};

/// The one writer of a trace element. begin and end never wait, allocate, call the system or fail.
/// Used by one thread at a time; a hand-over to another needs a happens-before.
class TraceWriter {
 public:
  TraceWriter() = default;  ///< unusable until assigned from a real one
  /// `ring`: its line 0, aligned to 64; its TraceRing::bytes(threshold) bytes, in every `lanes`-th line from
  /// there on, outlive the writer: zeroed, or left by an earlier writer, whose tuples this one continues.
  TraceWriter(std::byte* ring, std::uint32_t threshold, std::uint16_t lanes = 1) noexcept
      : published_(reinterpret_cast<TraceRing::Word*>(ring)),
        stride_(lanes * TraceRing::words_per_slot),
        first_(published_ + stride_),
        last_(first_ + threshold * stride_),
        slot_(first_ + published_->load(std::memory_order_relaxed) %
                           (static_cast<std::uint64_t>(threshold) + 1) * stride_),
        sequence_(published_->load(std::memory_order_relaxed) + 1) {}

  /// The start half of the next tuple: it becomes the operation in flight.
  void begin(std::uint64_t word1, std::uint64_t word2, std::uint64_t word3) noexcept {
    TraceRing::Word* const slot = slot_;  // else it would be loaded again behind each store
    slot[1].store(word1, std::memory_order_release);
    slot[2].store(word2, std::memory_order_release);
    slot[3].store(word3, std::memory_order_release);
    slot[0].store(sequence_, std::memory_order_release);
  }

  /// The end half of the tuple begun last; publishes it.
  void end(std::uint64_t word4, std::uint64_t word5, std::uint64_t word6, std::uint64_t word7) noexcept {
    TraceRing::Word* const slot = slot_;
    slot[4].store(word4, std::memory_order_release);
    slot[5].store(word5, std::memory_order_release);
    slot[6].store(word6, std::memory_order_release);
    slot[7].store(word7, std::memory_order_release);
    const std::uint64_t sequence = sequence_;
    published_->store(sequence, std::memory_order_release);
    sequence_ = sequence + 1;
    slot_ = slot == last_ ? first_ : slot + stride_;
    // Else the start of the next operation waits for this line: it has long left the cache when rings are
    // many.
    __builtin_prefetch(slot_, 1);
  }

 private:
  TraceRing::Word* published_{nullptr};
  std::size_t stride_{0};  // words between lines of the ring
  TraceRing::Word* first_{nullptr};
  TraceRing::Word* last_{nullptr};
  TraceRing::Word* slot_{nullptr};
  std::uint64_t sequence_{1};
};

/// A reader of a trace element: copies, never writes. Trivially copyable; any number of them, anywhere.
class TraceReader {
 public:
  TraceReader() = default;  ///< unusable until assigned from a real one
  /// As for the writer.
  TraceReader(const std::byte* ring, std::uint32_t threshold, std::uint16_t lanes = 1) noexcept
      : published_(reinterpret_cast<const TraceRing::Word*>(ring)), threshold_(threshold), lanes_(lanes) {}

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

 private:
  [[nodiscard]] const TraceRing::Word* slot(std::uint64_t sequence) const noexcept {
    const std::uint64_t index = (sequence - 1) % (static_cast<std::uint64_t>(threshold_) + 1);
    return published_ + (index + 1) * lanes_ * TraceRing::words_per_slot;
  }

  const TraceRing::Word* published_{nullptr};
  std::uint32_t threshold_{0};
  std::uint16_t lanes_{1};
};

}  // namespace eventspace
