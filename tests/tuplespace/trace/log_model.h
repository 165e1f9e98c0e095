#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "tests/tuplespace/trace/course.h"

namespace eventspace::test {

/// A model of a segment's log (tuplespace/trace/segment_layout.h), small enough to check every interleaving
/// of a process that adds entries and a reader that reads them. An entry has a size, a content, a checksum
/// and, if its number is odd, a live word that changes after it was published. Memory is reserved in chunks
/// that do not hold a whole number of entries.
class LogModel : public StoreHistory {
 public:
  static constexpr std::size_t log_end = 0;     // the words of the log that hold entries
  static constexpr std::size_t file_words = 1;  // the words of the log for which there is memory
  static constexpr std::size_t begin = 2;
  static constexpr std::size_t chunk = 5;
  static constexpr std::uint64_t no_memory = ~std::uint64_t{0};  // the value of a word without memory

  enum class WriterFault { none, publishes_first, publishes_before_the_checksum, reserves_last };

  explicit LogModel(std::uint64_t entries, WriterFault fault = WriterFault::none)
      : StoreHistory(empty(entries)), fault_(fault) {
    std::size_t at = 0;
    for (std::uint64_t number = 1; number <= entries; ++number) at = add(number, at);
  }

  static std::size_t size_of(std::uint64_t number) { return number % 2 == 0 ? 3 : 4; }
  static std::uint64_t content_of(std::uint64_t number) { return 1000 + number; }
  static std::uint64_t checksum(std::uint64_t size, std::uint64_t content) {
    return size * 100'000 + content;
  }

 private:
  static Memory empty(std::uint64_t entries) {
    Memory memory(begin + 4 * (entries + 2), no_memory);
    memory[log_end] = memory[file_words] = 0;
    return memory;
  }

  std::size_t add(std::uint64_t number, std::size_t at) {
    const std::size_t size = size_of(number);
    const std::size_t end = at + size;
    const auto word = [at](std::size_t i) { return begin + at + i; };
    if (fault_ != WriterFault::reserves_last) reserve(end);
    if (fault_ == WriterFault::publishes_first) store(log_end, end);
    if (fault_ == WriterFault::reserves_last) {  // like with a sparse file, whose memory comes later
      store(log_end, end);
      reserve(end);
    }
    store(word(1), content_of(number));
    store(word(0), size);
    if (fault_ == WriterFault::publishes_before_the_checksum) store(log_end, end);
    store(word(2), checksum(size, content_of(number)));
    if (fault_ == WriterFault::none) store(log_end, end);
    if (size == 4) store(word(3), number);
    return end;
  }

  // One step: a system call that makes the file longer, and memory of zeros accessible.
  void reserve(std::size_t end) {
    const std::size_t before = now()[file_words];
    if (end <= before) return;
    const std::size_t after = (end + chunk - 1) / chunk * chunk;
    std::vector<std::pair<std::size_t, std::uint64_t>> words{{file_words, after}};
    for (std::size_t i = before; i < after && begin + i < now().size(); ++i) words.emplace_back(begin + i, 0);
    store_together(words);
  }

  WriterFault fault_;
};

/// SegmentView::refresh, load by load. Each fault omits a step or changes one.
class ModelLogReader {
 public:
  enum class Fault { none, measures_first, reads_on };
  explicit ModelLogReader(Course& course, Fault fault = Fault::none) : course_(&course), fault_(fault) {}

  /// Returns the fault of the log or of the reader, or "".
  std::string refresh() {
    const std::uint64_t measured = fault_ == Fault::measures_first ? course_->load(LogModel::file_words) : 0;
    const std::uint64_t end = course_->load(LogModel::log_end);
    if (end == read_) return "";
    if (end < read_) return "the log went backwards";
    if (fault_ == Fault::reads_on) return read_until(LogModel::chunk * 100);
    const std::uint64_t size =
        fault_ == Fault::measures_first ? measured : course_->load(LogModel::file_words);
    if (size < end) return "a good log was called truncated";
    return read_until(end);
  }
  /// The entries that were read.
  [[nodiscard]] std::uint64_t entries() const { return entries_; }
  /// The offsets of the live words that a reader may read.
  [[nodiscard]] const std::vector<std::size_t>& live() const { return live_; }

 private:
  std::string read_until(std::uint64_t end) {
    while (read_ < end) {
      const std::size_t at = LogModel::begin + read_;
      const std::uint64_t size = course_->load(at);
      if (size == LogModel::no_memory) return "memory was accessed where there is none";
      if (size < 3 || size > end - read_) return "a good entry was called too small or too large";
      const std::uint64_t content = course_->load(at + 1);
      if (course_->load(at + 2) != LogModel::checksum(size, content))
        return "a good checksum was called wrong";
      if (content != LogModel::content_of(entries_ + 1)) return "another entry was accepted";
      if (size == 4) live_.push_back(at + 3);
      read_ += size;
      ++entries_;
    }
    return "";
  }

  Course* course_;
  Fault fault_;
  std::uint64_t read_{0};
  std::uint64_t entries_{0};
  std::vector<std::size_t> live_;
};

}  // namespace eventspace::test
