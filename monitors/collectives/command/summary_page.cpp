#include "monitors/collectives/command/summary_page.h"

#include <algorithm>

namespace eventspace {
namespace {

// Columns that a narrow terminal lacks: the larger, the sooner.
int dispensable(const std::string& column) {
  if (column == "uncertain" || column == "broken") return 5;
  if (column == "share") return 4;
  if (column == "operation") return 3;
  return column == "call site" ? 2 : 0;
}

bool is_number(const std::string& column) {
  return column == "count" || column == "share" || column == "uncertain" || column == "broken";
}

constexpr std::size_t widest = 40;

}  // namespace

void SummaryPage::take(const SummaryReport& report, std::chrono::nanoseconds time) {
  answer_ = report.answer();
  open_ = report.open_lines();
  certainty_ = report.certainty();
  table_ = table_of(report);
  time_ = time;
}

top::Page SummaryPage::page() const {
  top::Page page;
  page.when_empty = "no operation yet";
  page.lines.push_back({{answer_, top::Style::strong}});
  for (const std::string& line : open_) page.lines.push_back({{line, top::Style::bad}});
  for (const std::string& line : certainty_) page.below.push_back({{line, top::Style::faint}});
  for (const std::string& name : table_.columns)
    page.columns.push_back({name, top::width_of(name), is_number(name), false, false, dispensable(name)});
  for (const auto& values : table_.rows) {
    top::Row row;
    for (std::size_t i = 0; i < values.size(); ++i) {
      row.fields.push_back({values[i].plain()});
      std::size_t& width = page.columns[i].width;
      width = std::max(width, std::min(widest, top::width_of(row.fields.back().text)));
    }
    page.rows.push_back(std::move(row));
  }
  return page;
}

}  // namespace eventspace
