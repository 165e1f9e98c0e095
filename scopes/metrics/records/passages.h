#pragma once

#include <algorithm>
#include <cstdint>
#include <map>

namespace eventspace::metrics {

/// Counts the passages of a probe by an object, from the records of its threads. The passages of a process
/// are the passages of its threads together. Not thread-safe.
class Passages {
 public:
  static constexpr std::size_t max_threads = 65'536;
  static constexpr std::int64_t max_ended = std::int64_t{1} << 61;  ///< passages of threads that have ended

  /// `passage`: how often the thread had passed the probe before. Returns how often the object had passed it,
  /// as far as its threads are known. Each result is greater than the last.
  std::int64_t next(std::uint32_t thread, std::int64_t passage) {
    // Keeps sums of forged numbers from overflowing.
    constexpr std::int64_t most = std::int64_t{1} << 44;
    passage = std::clamp<std::int64_t>(passage, 0, most);
    std::int64_t& known = passed_[thread];
    // Another thread has the number of a thread that has ended.
    if (known > passage) ended_ = std::min(ended_ + known, max_ended);
    of_threads_ += passage + 1 - known;
    known = passage + 1;
    const std::int64_t of_object = ended_ + of_threads_ - 1;
    if (passed_.size() > max_threads) forget_all_but(thread);
    return of_object;
  }

 private:
  /// Takes the other threads for ended.
  void forget_all_but(std::uint32_t thread) {
    const std::int64_t own = passed_[thread];
    ended_ = std::min(ended_ + of_threads_ - own, max_ended);
    of_threads_ = own;
    passed_ = {{thread, own}};
  }

  std::map<std::uint32_t, std::int64_t> passed_;  // by thread
  std::int64_t of_threads_{0};                    // their sum
  std::int64_t ended_{0};
};

}  // namespace eventspace::metrics
