#include "monitors/cli/named_table.h"

#include <algorithm>
#include <utility>

#include "monitors/cli/result_table.h"

namespace eventspace {
namespace {

std::string heading_of(std::string column) {
  if (column.ends_with("_s")) column.resize(column.size() - 2);
  std::ranges::replace(column, '_', ' ');
  return column;
}

ResultTable result_of(NamedTable table) {
  ResultTable result(std::move(table.columns));
  for (auto& row : table.rows) result.add(std::move(row));
  return result;
}

}  // namespace

void print_in_text(std::ostream& out, NamedTable table, std::size_t most) {
  for (std::string& column : table.columns) column = heading_of(std::move(column));
  result_of(std::move(table)).print_first(out, most);
}

void print_rows(std::ostream& out, Format format, NamedTable table) {
  if (format == Format::json) {
    table.columns.insert(table.columns.begin(), "table");
    for (auto& row : table.rows) row.insert(row.begin(), Json(table.name));
  }
  result_of(std::move(table)).print(out, format);
}

}  // namespace eventspace
