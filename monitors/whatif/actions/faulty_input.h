#pragma once

#include <string>
#include <utility>
#include <vector>

#include <eventspace/error.h>

namespace eventspace::whatif {

/// Thrown for a program or a network file with several faults. Each line is one fault with its place; what()
/// also has their number.
class FaultyInput : public ConfigurationError {
 public:
  FaultyInput(const std::string& summary, std::vector<std::string> lines)
      : ConfigurationError(summary), lines_(std::move(lines)) {}
  [[nodiscard]] const std::vector<std::string>& lines() const noexcept { return lines_; }

 private:
  std::vector<std::string> lines_;
};

}  // namespace eventspace::whatif
