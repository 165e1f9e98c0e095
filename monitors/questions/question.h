#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "paths/parameters/parameters.h"

namespace eventspace {

/// A question about a session on the command line, instead of the name of a scope in the pathmap
/// (monitors/questions/question_options.h). question_scope.h makes the scope that answers it.
struct Question {
  std::string threads;                              ///< a glob over the names of threads; empty: all
  std::string paths;                                ///< a glob over the names of paths; empty: all
  std::string where;                                ///< a condition (docs/expressions.md); empty: all events
  std::optional<std::chrono::nanoseconds> since{};  ///< how long before the first pull to begin; nullopt: at
                                                    ///< the oldest kept event
  std::size_t last{0};                              ///< limit: the events that ended last; 0: all
  Parameters numbers{};       ///< parameters of the wrapper `aggregate`, which turns events into numbers
  bool makes_numbers{false};  ///< whether events become numbers

  /// Whether the question is empty, so that a scope is used unchanged.
  [[nodiscard]] bool is_empty() const noexcept {
    return threads.empty() && paths.empty() && where.empty() && !since && last == 0 && !makes_numbers;
  }
  /// Whether it concerns events before the present.
  [[nodiscard]] bool is_about_the_last() const noexcept { return since || last != 0; }
};

}  // namespace eventspace
