#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/lines.h"

namespace eventspace::testing_commands {

using test::lines_of;

/// Parses a text with one JSON object on each line. Throws if a line is not one.
inline std::vector<nlohmann::json> objects_in(const std::string& text) {
  const std::vector<std::string> lines = lines_of(text);
  std::vector<nlohmann::json> objects;
  objects.reserve(lines.size());
  for (const std::string& line : lines) objects.push_back(nlohmann::json::parse(line));
  return objects;
}

}  // namespace eventspace::testing_commands
