#pragma once

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "monitors/whatif/actions/action_text.h"

namespace eventspace::test {

/// The lines of a task in the text of a program, without its number.
inline std::vector<std::string> action_lines(const whatif::Program& program, std::uint32_t task) {
  std::stringstream text;
  whatif::write_actions(text, program);
  std::vector<std::string> found;
  const std::string own = std::to_string(task) + " ";
  for (std::string line; std::getline(text, line);)
    if (line.starts_with(own)) found.push_back(line.substr(own.size()));
  return found;
}

}  // namespace eventspace::test
