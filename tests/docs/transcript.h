#pragma once

#include <string>
#include <vector>

#include "tests/docs/page.h"

namespace eventspace::docs {

/// A command that a page shows after "$ ", and the output that the page shows below it.
struct ShownCommand {
  std::string words;
  std::vector<std::string> output;
  int line{0};
};

/// Returns the commands of a block of language "console", in their order.
std::vector<ShownCommand> commands_of(const Block& block);

/// Returns whether `output` matches the page. In a shown line
///
/// - times of day in UTC, times with a unit ("2.1s") and numbers with a decimal point match any others,
/// - a number after "pid", and the number of a process without a pathmap ("solver:4711/main", "solver:4711"),
///   match any number,
/// - spaces match any number of spaces,
/// - "..." matches any text; a line with only "..." matches any number of lines.
///
/// Everything else is compared exactly, including numbers without a unit or point.
bool is_shown_by(const std::vector<std::string>& shown, const std::vector<std::string>& output);

}  // namespace eventspace::docs
