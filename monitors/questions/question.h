#pragma once

// Private to monitors/.

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "paths/parameters/parameters.h"

namespace eventspace {

/// What a user asks of a session on the command line, instead of naming a scope of the pathmap
/// (monitors/questions/question_options.h). question_scope.h makes the scope that answers it.
struct Question {
  std::string threads;                              ///< a glob over the names of threads; empty: all
  std::string paths;                                ///< a glob over the names of paths; empty: all
  std::string where;                                ///< a condition (docs/expressions.md); empty: none
  std::optional<std::chrono::nanoseconds> since{};  ///< how long before the first pull to begin; none: at
                                                    ///< the oldest event that is kept
  std::size_t last{0};                              ///< only so many events, those that ended last; 0: all
  Parameters numbers{};       ///< of the wrapper `aggregate`, with which events become numbers
  bool makes_numbers{false};  ///< whether events become numbers

  /// Whether nothing was asked, so that a scope answers as it is.
  [[nodiscard]] bool is_empty() const noexcept {
    return threads.empty() && paths.empty() && where.empty() && !since && last == 0 && !makes_numbers;
  }
  /// Whether it begins before the present and goes back from there.
  [[nodiscard]] bool is_about_the_last() const noexcept { return since || last != 0; }
};

}  // namespace eventspace
