#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tests/tuplespace/trace/course.h"

namespace eventspace::test {

/// A model of the trace ring (tuplespace/trace/trace_element.h), small enough to check every interleaving of
/// a writer and a reader. A tuple has four words here: its number, two words of the start half, one of the
/// end half. Every word of tuple s except the first holds 10 s + its index, so that words of two tuples are
/// never equal. The ring shares its block with a ring in the next lane, into which the same writer records
/// one operation within each operation, like two event collectors on one path; the words there differ from
/// all words here. The owner may empty the ring once.
class RingModel : public StoreHistory {
 public:
  static constexpr std::size_t words = 4;
  static constexpr std::size_t lanes = 2;  // the ring under test is the first; its memory: heads, then slots

  enum class WriterFault {
    none,
    publishes_before_the_end_half,
    numbers_before_the_start_half,
    one_slot_less
  };

  enum class Neighbour { records, is_idle };

  /// The owner stores the floor `upto`, which it read as the head, after `step` stores of the writer. Each
  /// execution is covered by some step: a reader that sees the floor must only have seen the head that the
  /// owner read, just as if the owner had stored at once.
  struct Emptying {
    std::uint64_t upto{0};
    std::size_t step{~std::size_t{0}};
  };

  /// Performs the writer's stores for `operations` operations, and keeps the memory after each store.
  RingModel(std::uint64_t threshold, std::uint64_t operations, WriterFault fault = WriterFault::none,
            Neighbour neighbour = Neighbour::records)
      : RingModel(threshold, operations, fault, neighbour, Emptying{}) {}
  RingModel(std::uint64_t threshold, std::uint64_t operations, WriterFault fault, Neighbour neighbour,
            Emptying emptying)
      : StoreHistory(Memory(lanes * (1 + slots_for(threshold, fault) * words) + 1, 0)),
        threshold_(threshold),
        neighbour_(neighbour),
        emptying_(emptying),
        slots_(slots_for(threshold, fault)) {
    for (std::uint64_t s = 1; s <= operations; ++s) record(s, fault);
  }

  [[nodiscard]] std::uint64_t threshold() const { return threshold_; }
  [[nodiscard]] std::size_t floor_address() const { return now().size() - 1; }
  [[nodiscard]] std::size_t address(std::uint64_t sequence, std::size_t word, std::size_t lane = 0) const {
    return lanes + ((sequence - 1) % slots_ * lanes + lane) * words + word;
  }
  static std::uint64_t value(std::uint64_t sequence, std::size_t word) {
    return word == 0 ? sequence : 10 * sequence + word;
  }

 private:
  void put(std::size_t word, std::uint64_t to) {
    store(word, to);
    if (steps() == emptying_.step) store(floor_address(), emptying_.upto);
  }
  void record(std::uint64_t s, WriterFault fault) {
    const bool numbers_first = fault == WriterFault::numbers_before_the_start_half;
    const bool publishes_first = fault == WriterFault::publishes_before_the_end_half;
    if (numbers_first) put(address(s, 0), s);
    put(address(s, 1), value(s, 1));
    put(address(s, 2), value(s, 2));
    if (!numbers_first) put(address(s, 0), s);
    if (neighbour_ == Neighbour::records) record_beside(s);
    if (publishes_first) put(0, s);
    put(address(s, 3), value(s, 3));
    if (!publishes_first) put(0, s);
  }
  void record_beside(std::uint64_t s) {
    for (const std::size_t word : {1, 2, 0, 3}) put(address(s, word, 1), 1000 + value(s, word));
    put(1, s);
  }
  static std::uint64_t slots_for(std::uint64_t threshold, WriterFault fault) {
    return threshold + (fault == WriterFault::one_slot_less ? 0 : 1);
  }

  std::uint64_t threshold_;
  Neighbour neighbour_;
  Emptying emptying_;
  std::uint64_t slots_;
};

struct ModelTuple {
  std::uint64_t words[RingModel::words]{};
  /// Returns the number of the tuple to which the first `count` words belong; 0 if they belong to several.
  [[nodiscard]] std::uint64_t number(std::size_t count = RingModel::words) const {
    for (std::size_t i = 0; i < count; ++i) {
      if (words[i] != RingModel::value(words[0], i)) return 0;
    }
    return words[0];
  }
};

/// The functions of TraceReader, load by load. Each fault omits a step or changes one.
class ModelReader {
 public:
  enum class Fault { none, looks_only_once, trusts_one_too_many, looks_at_the_head_first };
  ModelReader(const RingModel& ring, Course& course, Fault fault = Fault::none)
      : ring_(&ring), course_(&course), fault_(fault) {}

  struct Batch {
    std::vector<ModelTuple> tuples;
    std::uint64_t last{0}, discarded{0}, emptied{0}, torn{0};
    bool refused_floor{false};
  };
  Batch read_after(std::uint64_t after) {
    const std::uint64_t threshold = ring_->threshold();
    const auto [floor, head, refused_floor] = look();
    after = std::min(after, head);
    const std::uint64_t first = std::max({after + 1, head > threshold ? head - threshold + 1 : 1, floor + 1});
    std::vector<ModelTuple> copies;
    for (std::uint64_t s = first; s <= head; ++s) copies.push_back(copy(s, RingModel::words));
    const std::uint64_t whole = std::clamp(oldest_safe(head), first, head + 1);
    Batch batch;
    batch.last = head;
    batch.refused_floor = refused_floor;
    batch.emptied = floor > after ? std::min(floor - after, threshold) : 0;
    batch.discarded = whole - (after + 1) - batch.emptied;
    for (std::uint64_t s = whole; s <= head; ++s) {
      const ModelTuple& tuple = copies[s - first];
      if (tuple.words[0] == s) {
        batch.tuples.push_back(tuple);
      } else {
        ++batch.torn;
      }
    }
    return batch;
  }

  /// One attempt of TraceReader::newest.
  std::optional<ModelTuple> newest() {
    const auto [floor, head, refused_floor] = look();
    if (head == floor) return std::nullopt;
    const ModelTuple tuple = copy(head, RingModel::words);
    if (tuple.words[0] != head || oldest_safe(head) > head) return std::nullopt;
    return tuple;
  }

  /// One attempt of TraceReader::in_flight; the start half only.
  std::optional<ModelTuple> in_flight() {
    const std::uint64_t head = course_->load(0);
    const ModelTuple tuple = copy(head + 1, 3);
    if (fault_ != Fault::looks_only_once && course_->load(0) != head) return std::nullopt;
    if (tuple.words[0] != head + 1) return std::nullopt;
    return tuple;
  }

  struct Newest {
    ModelTuple finished;
    std::optional<ModelTuple> in_flight;  ///< the start half only
  };
  /// TraceReader::read_at_rest; nullopt if both must be read separately.
  std::optional<Newest> both() {
    const auto [floor, head, refused_floor] = look();
    if (head == floor) return std::nullopt;
    Newest newest{copy(head, RingModel::words), std::nullopt};
    if (course_->load(ring_->address(head + 1, 0)) == head + 1) newest.in_flight = copy(head + 1, 3);
    if (newest.finished.words[0] != head) return std::nullopt;
    if (newest.in_flight && newest.in_flight->words[0] != head + 1) return std::nullopt;
    if (fault_ != Fault::looks_only_once && course_->load(0) != head) return std::nullopt;
    return newest;
  }

 private:
  /// TraceReader::ends.
  struct Ends {
    std::uint64_t floor, head;
    bool refused_floor;
  };
  Ends look() {
    const bool head_first = fault_ == Fault::looks_at_the_head_first;
    const std::uint64_t one = course_->load(head_first ? 0 : ring_->floor_address());
    const std::uint64_t other = course_->load(head_first ? ring_->floor_address() : 0);
    const std::uint64_t floor = head_first ? other : one;
    const std::uint64_t head = head_first ? one : other;
    return {floor > head ? 0 : floor, head, floor > head};
  }
  ModelTuple copy(std::uint64_t sequence, std::size_t count) {
    ModelTuple tuple;
    for (std::size_t i = 0; i < count; ++i) tuple.words[i] = course_->load(ring_->address(sequence, i));
    return tuple;
  }
  std::uint64_t oldest_safe(std::uint64_t head) {
    const std::uint64_t now = fault_ == Fault::looks_only_once ? head : course_->load(0);
    const std::uint64_t kept = ring_->threshold() + (fault_ == Fault::trusts_one_too_many ? 1 : 0);
    return now >= kept ? now - kept + 1 : 1;
  }

  const RingModel* ring_;
  Course* course_;
  Fault fault_;
};

}  // namespace eventspace::test
