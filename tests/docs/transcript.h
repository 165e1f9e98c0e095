#pragma once

#include <string>
#include <vector>

#include "tests/docs/page.h"

namespace eventspace::docs {

/// A command that a page shows behind "$ ", and the output that the page shows below it.
struct ShownCommand {
  std::string words;
  std::vector<std::string> output;
  int line{0};
};

/// Returns the commands of a block of language "console", in their order.
std::vector<ShownCommand> commands_of(const Block& block);

/// Returns whether `output` is what the page shows. Of a shown line
///
/// - times of day in UTC, times with a unit ("2.1s") and numbers with a decimal point stand for any others,
/// - a number behind "pid", and that of a process without a pathmap ("solver:4711/main"), stands for any,
/// - spaces stand for any number of spaces,
/// - "..." stands for any text; a line that has nothing else stands for any number of lines.
///
/// Everything else is compared as it is, so numbers without a unit or point are, too.
bool is_shown_by(const std::vector<std::string>& shown, const std::vector<std::string>& output);

}  // namespace eventspace::docs
