#pragma once

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "tuplespace/trace/trace_element.h"

namespace eventspace::test {

/// The memory of one trace element.
class RingMemory {
 public:
  explicit RingMemory(std::uint32_t threshold)
      : lines_(TraceRing::bytes(threshold) / sizeof(TraceTuple)), threshold_(threshold) {}

  [[nodiscard]] TraceWriter writer() { return {bytes(), threshold_}; }
  [[nodiscard]] TraceReader reader() const {
    return {reinterpret_cast<const std::byte*>(lines_.data()), threshold_};
  }
  /// Word `word` of slot `slot`, counted from 0, for tests that put damage or an edge case into the ring.
  TraceRing::Word& word_of_slot(std::size_t slot, std::size_t word) {
    return reinterpret_cast<TraceRing::Word*>(
        bytes())[TraceRing::first_slot(1, 0) + slot * TraceRing::words_per_slot + word];
  }
  TraceRing::Word& published() { return *reinterpret_cast<TraceRing::Word*>(bytes()); }
  TraceRing::Word& floor() { return reinterpret_cast<TraceRing::Word*>(bytes())[TraceRing::floor(1, 0)]; }
  void empty() { TraceRing::empty(bytes()); }

 private:
  std::byte* bytes() { return reinterpret_cast<std::byte*>(lines_.data()); }

  std::vector<TraceTuple> lines_;
  std::uint32_t threshold_;
};

/// Returns word `word` (1 to 7) of tuple `sequence` as the tests write it: two tuples never have a word in
/// common.
inline std::uint64_t pattern(std::uint64_t sequence, std::size_t word) {
  return sequence * 0x9e3779b97f4a7c15 + word;
}
inline void begin_pattern(TraceWriter& writer, std::uint64_t sequence) {
  writer.begin(pattern(sequence, 1), pattern(sequence, 2), pattern(sequence, 3));
}
inline void end_pattern(TraceWriter& writer, std::uint64_t sequence) {
  writer.end(pattern(sequence, 4), pattern(sequence, 5), pattern(sequence, 6), pattern(sequence, 7));
}
inline void record(TraceWriter& writer, std::uint64_t sequence) {
  begin_pattern(writer, sequence);
  end_pattern(writer, sequence);
}
/// Returns whether the first `words` words all belong to one tuple.
inline bool is_whole(const TraceTuple& tuple, std::size_t words = 8) {
  for (std::size_t i = 1; i < words; ++i) {
    if (tuple.words[i] != pattern(tuple.words[0], i)) return false;
  }
  return true;
}

/// Returns a batch as text: "3 4 5", followed by the losses: "3 4 5, discarded 2, torn 1".
inline std::string summary(const TraceReader::Batch& batch, const std::vector<TraceTuple>& tuples) {
  std::ostringstream text;
  for (const TraceTuple& tuple : tuples) text << (&tuple == tuples.data() ? "" : " ") << tuple.words[0];
  if (batch.discarded > 0) text << ", discarded " << batch.discarded;
  if (batch.emptied > 0) text << ", emptied " << batch.emptied;
  if (batch.torn > 0) text << ", torn " << batch.torn;
  return text.str();
}

}  // namespace eventspace::test
