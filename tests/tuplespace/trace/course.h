#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace eventspace::test {

/// The memory that one writer stores to, after each of its stores. With Course, every interleaving of a
/// writer and a reader can be checked.
///
/// Interleavings cover all executions, although neither side uses fences. The stores of the one writer are
/// release stores, so a reader that acquires store k sees every store up to k. Let the reader's i-th load
/// yield the value of store k(i), and let p(i) = max(k(1) .. k(i)). By coherence, load i may not yield a
/// value older than its word's value after the first p(i-1) stores; if it yields a newer value, then k(i) =
/// p(i) by definition. Either way it yields the word's value after the first p(i) stores, and p never
/// decreases. So each execution that the memory model allows is one in which the writer steps, the reader
/// loads, and nothing is reordered.
class StoreHistory {
 public:
  using Memory = std::vector<std::uint64_t>;
  explicit StoreHistory(Memory initial) { states_.push_back(std::move(initial)); }

  [[nodiscard]] std::size_t steps() const { return states_.size() - 1; }
  [[nodiscard]] const Memory& after(std::size_t step) const { return states_[step]; }
  [[nodiscard]] const Memory& now() const { return states_.back(); }

 protected:
  void store(std::size_t word, std::uint64_t to) { store_together({{word, to}}); }
  /// A step that changes several words at once, like a system call.
  void store_together(const std::vector<std::pair<std::size_t, std::uint64_t>>& words) {
    states_.push_back(states_.back());
    for (const auto& [word, to] : words) states_.back()[word] = to;
  }

 private:
  std::vector<Memory> states_;
};

/// The loads of a reader, each at an instant of the writer's execution that is not before the previous
/// load's. Running a reader repeatedly, with next() in between, takes it through every choice of instants.
class Course {
 public:
  enum class Look {
    at_each_step,    // every interleaving
    at_each_change,  // skips instants at which the loaded word has the same value as before
  };
  Course(const StoreHistory& history, std::size_t first_step, Look look)
      : history_(&history), first_step_(first_step), look_(look) {}

  std::uint64_t load(std::size_t word) {
    const std::size_t from = depth_ == 0 ? first_step_ : instants_[depth_ - 1];
    if (depth_ == instants_.size()) instants_.push_back(from);
    words_.resize(instants_.size());
    words_[depth_] = word;
    return history_->after(instants_[depth_++])[word];
  }

  /// Returns false once all courses have been run.
  bool next() {
    for (depth_ = 0; !instants_.empty(); instants_.pop_back(), words_.pop_back()) {
      if (const auto later = next_instant(instants_.back(), words_.back())) {
        instants_.back() = *later;
        return true;
      }
    }
    return false;
  }

 private:
  [[nodiscard]] std::optional<std::size_t> next_instant(std::size_t now, std::size_t word) const {
    for (std::size_t step = now + 1; step <= history_->steps(); ++step) {
      const bool changed = history_->after(step)[word] != history_->after(now)[word];
      if (changed || look_ == Look::at_each_step) return step;
    }
    return std::nullopt;
  }

  const StoreHistory* history_;
  std::size_t first_step_;
  Look look_;
  std::size_t depth_{0};
  std::vector<std::size_t> instants_;
  std::vector<std::size_t> words_;
};

}  // namespace eventspace::test
