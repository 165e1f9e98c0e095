#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "monitors/cli/options.h"
#include "monitors/text/json.h"

namespace eventspace {

/// One of several tables that a command prints. Columns of times end in `_s`. Plain data.
struct NamedTable {
  std::string name;
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<Json>> rows{};
};

/// Prints the table without its title, as ResultTable::print_first does. The headings lack units, which the
/// values in text have themselves.
void print_in_text(std::ostream& out, NamedTable table, std::size_t most);
/// Prints the rows as JSON, each with the name of the table as `table`, or as CSV.
void print_rows(std::ostream& out, Format format, NamedTable table);

}  // namespace eventspace
