#include "monitors/cli/result_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "monitors/text/text_format.h"

namespace eventspace {
namespace {

std::vector<std::string> plain_row(const std::vector<Json>& row) {
  std::vector<std::string> words;
  words.reserve(row.size());
  for (const auto& value : row) words.push_back(value.plain());
  return words;
}

std::string aligned(const std::vector<std::string>& words, const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t i = 0; i < words.size(); ++i) line += fmt::format("{:<{}}  ", words[i], widths[i]);
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

void ResultTable::print(std::ostream& out, Format format) const {
  if (format == Format::json) return print_json(out);
  if (format == Format::csv) return print_csv(out);
  print_text(out, rows_.size());
}

void ResultTable::print_first(std::ostream& out, std::size_t most) const {
  if (rows_.empty()) return;
  const std::size_t shown = most == 0 ? rows_.size() : std::min(most, rows_.size());
  print_text(out, shown);
  if (rows_.size() > shown) out << fmt::format("and {} more (--limit 0 shows all)\n", rows_.size() - shown);
}

void ResultTable::print_text(std::ostream& out, std::size_t most) const {
  std::vector<std::vector<std::string>> lines{names_};
  for (std::size_t i = 0; i < most; ++i) lines.push_back(plain_row(rows_[i]));
  std::vector<std::size_t> widths(names_.size(), 0);
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  for (const auto& line : lines) out << aligned(line, widths) << '\n';
}

void ResultTable::print_json(std::ostream& out) const {
  for (const auto& row : rows_) {
    Json object = Json::object();
    for (std::size_t i = 0; i < names_.size(); ++i) object.set(names_[i], row[i]);
    out << object.dump() << '\n';
  }
}

void ResultTable::print_csv(std::ostream& out) const {
  std::vector<std::vector<std::string>> lines{names_};
  for (const auto& row : rows_) lines.push_back(plain_row(row));
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) out << (i == 0 ? "" : ",") << csv_value(line[i]);
    out << '\n';
  }
}

Json age_cell(std::chrono::nanoseconds age, Format format) {
  if (format == Format::text) return short_duration(age);
  return std::chrono::duration<double>(age).count();
}

Json time_cell(std::uint64_t ns, Format format) {
  return format == Format::text ? Json(duration_of_ns(static_cast<double>(ns))) : Json(ns);
}

}  // namespace eventspace
