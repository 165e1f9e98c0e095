#pragma once

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace eventspace::testing_commands {

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// Parses a text with one JSON object on each line. Throws if a line is not one.
inline std::vector<nlohmann::json> objects_in(const std::string& text) {
  const std::vector<std::string> lines = lines_of(text);
  std::vector<nlohmann::json> objects;
  objects.reserve(lines.size());
  for (const std::string& line : lines) objects.push_back(nlohmann::json::parse(line));
  return objects;
}

}  // namespace eventspace::testing_commands
