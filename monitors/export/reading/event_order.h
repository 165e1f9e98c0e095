#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace eventspace::exports {

/// Sorts the events of a recording by begin. The file has them approximately in order of their ends, so an
/// event that lasted an hour comes an hour after its begin.
///
/// Events that cannot be passed on yet are kept in memory up to a bound, and beyond it in sorted runs in an
/// unnamed file, which are merged at the end. So memory does not grow with the recording; the file has the
/// size of the kept events, uncompressed. Not thread-safe.
///
///     order.add({.begin = 10, .end = 20}, words);
///     order.pass_on(15, use);   // nothing that begins before 15 will come any more
///     order.finish(use);
class EventOrder {
 public:
  struct Key {
    std::int64_t begin{0};
    std::int64_t end{0};
  };
  using Words = std::span<const std::uint64_t>;
  using Use = std::function<void(const Key&, Words)>;

  struct Limits {
    std::size_t bytes = std::size_t{64} << 20;  ///< kept in memory, at least one event
  };
  /// `directory`: place of the file, if it is needed.
  EventOrder(std::filesystem::path directory, const Limits& limits);
  ~EventOrder();
  EventOrder(const EventOrder&) = delete;
  EventOrder& operator=(const EventOrder&) = delete;

  /// Adds an event, which has at most `max_words`. Events that begin and end together keep the order in
  /// which they were added. Throws EnvironmentError if the file cannot be made or written.
  static constexpr std::size_t max_words = 1024;
  void add(const Key& key, Words words);
  /// Passes all events that begin before `time` to `use`, in their order, if they are all in memory. An event
  /// that begins before `time` and is added later is moved to the latest begin that was passed on.
  void pass_on(std::int64_t time, const Use& use);
  /// Passes all remaining events to `use`.
  void finish(const Use& use);

  /// Number of moved events.
  [[nodiscard]] std::uint64_t moved() const noexcept { return moved_; }
  /// Number of bytes kept in the file.
  [[nodiscard]] std::uint64_t spilled_bytes() const noexcept { return spilled_bytes_; }

 private:
  struct Kept {
    Key key;
    std::uint64_t number;
    std::size_t at;  // in words_
    std::size_t size;
  };
  class Spill;
  [[nodiscard]] static bool is_before(const Kept& a, const Kept& b) noexcept;
  void spill();
  [[nodiscard]] Words words_of(const Kept& kept) const;

  std::filesystem::path directory_;
  Limits limits_;
  std::vector<Kept> kept_;
  std::vector<std::uint64_t> words_;
  std::uint64_t next_number_{0};
  std::int64_t earliest_;  // of kept_
  std::int64_t passed_on_;
  std::uint64_t moved_{0};
  std::uint64_t spilled_bytes_{0};
  std::unique_ptr<Spill> spill_;
};

}  // namespace eventspace::exports
