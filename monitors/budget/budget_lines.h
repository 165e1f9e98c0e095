#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <string>

namespace eventspace {

/// What a BudgetKeeper says while a screen has the terminal, to be printed when the screen is gone. Must
/// outlive the keeper. Thread-safe.
class BudgetLines {
 public:
  static constexpr std::size_t max_lines = 1000;  ///< the earliest ones above it are left out

  BudgetLines() = default;
  /// Prints the lines that were not printed.
  ~BudgetLines();
  BudgetLines(const BudgetLines&) = delete;
  BudgetLines& operator=(const BudgetLines&) = delete;

  /// For BudgetKeeper::Uses.
  [[nodiscard]] std::function<void(const std::string& line)> say();
  /// Prints all lines so far (print_message()), and forgets them.
  void print();

 private:
  void take(const std::string& line);

  std::mutex mutex_;
  std::deque<std::string> lines_;
  std::size_t left_out_{0};
};

}  // namespace eventspace
