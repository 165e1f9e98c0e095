#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include <eventspace/extend.h>

namespace eventspace {

/// A question about the events of a session, instead of the name of a scope in the pathmap: from the options
/// of a command (monitors/questions/question_options.h) or from a program (EventQuery). question_scope.h
/// makes the scope that answers it.
struct Question {
  std::string threads;                              ///< a glob over the names of threads; empty: all
  std::string paths;                                ///< a glob over the names of paths; empty: all
  std::string where;                                ///< a condition (docs/expressions.md); empty: all events
  std::optional<std::chrono::nanoseconds> since{};  ///< how long before the first pull to begin; nullopt: at
                                                    ///< the oldest kept event
  std::size_t last{0};                              ///< limit: the events that ended last; 0: all
  Parameters numbers{};       ///< parameters of the wrapper `aggregate`, which turns events into numbers
  bool makes_numbers{false};  ///< whether events become numbers
  /// What stands before the name of a member in the texts of errors.
  std::string option_prefix{"--"};

  /// Whether the question is empty, so that a scope is used unchanged.
  [[nodiscard]] bool is_empty() const noexcept {
    return threads.empty() && paths.empty() && where.empty() && !since && last == 0 && !makes_numbers;
  }
  /// Whether it concerns events before the present.
  [[nodiscard]] bool is_about_the_last() const noexcept { return since || last != 0; }
};

}  // namespace eventspace
