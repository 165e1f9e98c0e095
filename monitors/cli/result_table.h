#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "monitors/cli/options.h"
#include "monitors/text/json.h"

namespace eventspace {

/// The result of a command as rows of named values. Printed as text in aligned columns below their names, as
/// JSON with one object a row, or as CSV with the names first. Not thread-safe.
class ResultTable {
 public:
  explicit ResultTable(std::vector<std::string> names) : names_(std::move(names)) {}

  /// Adds a row, which must have a value for each name; null is printed as empty.
  void add(std::vector<Json> row) { rows_.push_back(std::move(row)); }
  [[nodiscard]] bool is_empty() const noexcept { return rows_.empty(); }
  void print(std::ostream& out, Format format) const;
  /// As text with at most `most` rows (0 means all), and a line with the number of the others. Prints nothing
  /// without rows.
  void print_first(std::ostream& out, std::size_t most) const;

 private:
  void print_text(std::ostream& out, std::size_t most) const;
  void print_json(std::ostream& out) const;
  void print_csv(std::ostream& out) const;

  std::vector<std::string> names_;
  std::vector<std::vector<Json>> rows_;
};

// Cells for times: in text as for display, otherwise in seconds, or in nanoseconds.
Json age_cell(std::chrono::nanoseconds age, Format format);
Json time_cell(std::uint64_t ns, Format format);

}  // namespace eventspace
