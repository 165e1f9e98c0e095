#include "monitors/efficiency/efficiency_printer.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "monitors/cli/result_table.h"
#include "monitors/efficiency/efficiency_answer.h"
#include "monitors/text/counted.h"
#include "monitors/text/json.h"
#include "monitors/text/text_format.h"

namespace eventspace::efficiency {
namespace {

/// Values for display, or as numbers.
class Values {
 public:
  explicit Values(Format format) noexcept : is_text_(format == Format::text) {}
  [[nodiscard]] Json time(double ns) const {
    if (!is_text_) return Json(ns / 1e9);
    return Json(ns < 0 ? "-" + duration_of_ns(-ns) : duration_of_ns(ns));
  }
  [[nodiscard]] Json share(double share) const {
    return is_text_ ? Json(fmt::format("{:.0f}%", 100 * share)) : Json(share);
  }
  [[nodiscard]] bool is_text() const noexcept { return is_text_; }

 private:
  bool is_text_;
};

std::string_view word_of(By by) {
  switch (by) {
    case By::region:
      return "region";
    case By::iteration:
      return "iteration";
    case By::time:
      return "begin_s";
    case By::none:
      break;
  }
  return "interval";
}

std::vector<std::string> interval_columns(std::string_view first) {
  return {std::string(first),
          "threads",
          "length_s",
          "parallel",
          "load_balance",
          "communication",
          "serialisation_least",
          "serialisation_most",
          "transfer_least",
          "transfer_most"};
}

Json name_cell(const IntervalRow& row) {
  if (row.begin_s) return Json(*row.begin_s);
  return row.name.empty() ? Json("all") : Json(row.name);
}

std::vector<Json> interval_row(const IntervalRow& row, const Values& values) {
  std::vector<Json> cells{name_cell(row), row.units, values.time(row.times.length)};
  const auto* const factors = std::get_if<Factors>(&row.factors);
  if (factors == nullptr) {
    cells.resize(interval_columns("").size());
    return cells;
  }
  for (const double share :
       {factors->parallel, factors->load_balance, factors->communication, factors->serialisation.least,
        factors->serialisation.most, factors->transfer.least, factors->transfer.most})
    cells.push_back(values.share(share));
  return cells;
}

// In text, a range is one value.
std::vector<Json> interval_text_row(const IntervalRow& row, const Values& values) {
  std::vector<Json> cells = interval_row(row, values);
  const auto* const factors = std::get_if<Factors>(&row.factors);
  cells.resize(6);
  if (factors == nullptr) {
    cells[3] = std::string(to_string(std::get<NoFactors>(row.factors)));
    cells.resize(8);
    return cells;
  }
  cells.emplace_back(range_text(factors->serialisation));
  cells.emplace_back(range_text(factors->transfer));
  return cells;
}

ResultTable unit_table(const EfficiencyReport& report, const Values& values) {
  ResultTable table(values.is_text() ? std::vector<std::string>{"thread", "useful", "to the mean", "in calls",
                                                                "waited", "made others wait"}
                                     : std::vector<std::string>{"table", "thread", "useful_s", "deviation_s",
                                                                "in_calls_s", "waited_s", "caused_s"});
  for (const UnitRow& unit : report.units) {
    std::vector<Json> row{unit.name,
                          values.time(unit.useful),
                          values.time(unit.deviation),
                          values.time(unit.in_calls),
                          values.time(unit.waited),
                          values.time(unit.caused)};
    if (!values.is_text()) row.insert(row.begin(), Json("threads"));
    table.add(std::move(row));
  }
  return table;
}

ResultTable site_table(const EfficiencyReport& report, const Values& values) {
  ResultTable table(
      values.is_text()
          ? std::vector<std::string>{"call", "calls", "time", "transfer", "waiting"}
          : std::vector<std::string>{"table", "call", "calls", "time_s", "transfer_s", "serialisation_s"});
  const auto time = [&](const std::optional<double>& ns) { return ns ? values.time(*ns) : Json(); };
  for (const SiteRow& site : report.sites) {
    std::vector<Json> row{site.name, site.calls, values.time(site.time), time(site.transfer),
                          time(site.serialisation)};
    if (!values.is_text()) row.insert(row.begin(), Json("calls"));
    table.add(std::move(row));
  }
  return table;
}

void print_factors(std::ostream& out, const EfficiencyReport& report) {
  const auto& factors = std::get<Factors>(report.whole.factors);
  fmt::print(out, "\nof {} and {}:\n", duration_of_ns(report.whole.times.length),
             counted(report.whole.units, "thread"));
  const auto line = [&out](std::string_view name, const Range& range) {
    fmt::print(out, "{:<32}{:>12}\n", name, range_text(range));
  };
  line("parallel efficiency", {factors.parallel, factors.parallel});
  line("  load balance", {factors.load_balance, factors.load_balance});
  line("  communication efficiency", {factors.communication, factors.communication});
  line("    serialisation", factors.serialisation);
  line("    transfer", factors.transfer);
}

void print_parts(std::ostream& out, const EfficiencyReport& report, const Values& values, std::size_t most) {
  if (report.by == By::none) return;
  ResultTable table({report.by == By::time ? "begin" : std::string(word_of(report.by)), "threads", "length",
                     "parallel", "load balance", "communication", "serialisation", "transfer"});
  for (const IntervalRow& row : report.parts) {
    std::vector<Json> cells = interval_text_row(row, values);
    if (row.begin_s) cells[0] = fmt::format("{:.6g}s", *row.begin_s);
    table.add(std::move(cells));
  }
  fmt::print(out, "\n");
  if (table.is_empty())
    fmt::print(out, "nothing to show by {}\n", report.by == By::time ? "time" : word_of(report.by));
  table.print_first(out, report.by == By::time ? 0 : most);
}

void print_text(std::ostream& out, const EfficiencyReport& report, std::size_t most) {
  const Values values(Format::text);
  fmt::print(out, "{}\n", answer_of(report).text);
  print_factors(out, report);
  print_parts(out, report, values, most);
  fmt::print(out, "\nuseful time, the threads that differ most from the mean:\n");
  unit_table(report, values).print_first(out, most);
  if (report.worst_region)
    fmt::print(out, "in region {}, {} computes {} longer than the mean\n", report.worst_region->region,
               report.worst_region->unit, duration_of_ns(report.worst_region->excess));
  if (!report.sites.empty()) {
    fmt::print(out, "\ncalls with most {}:\n",
               report.confidence.is_simulated
                   ? "transfer"
                   : "time (transfer: at most, estimated from the shortest call of a place)");
    site_table(report, values).print_first(out, most);
  }
  fmt::print(out, "\nhow sure:\n");
  for (const std::string& line : confidence_of(report)) fmt::print(out, "- {}\n", line);
}

ResultTable interval_table(const EfficiencyReport& report, const Values& values, bool has_name) {
  std::vector<std::string> columns = interval_columns("interval");
  if (has_name) columns.insert(columns.begin(), "table");
  ResultTable table(std::move(columns));
  const auto add = [&](const IntervalRow& row) {
    std::vector<Json> cells = interval_row(row, values);
    if (has_name) cells.insert(cells.begin(), Json("intervals"));
    table.add(std::move(cells));
  };
  add(report.whole);
  for (const IntervalRow& row : report.parts) add(row);
  return table;
}

void print_json(std::ostream& out, const EfficiencyReport& report) {
  const Values values(Format::json);
  const Answer answer = answer_of(report);
  ResultTable first({"table", "text", "limit", "by", "cost_s", "simulated", "clock_error_s", "lost", "gap_s",
                     "confidence"});
  const auto& error = report.confidence.clock_error_ns;
  std::vector<Json> row{"answer", answer.text, std::string(to_string(answer.limit))};
  row.push_back(answer.by.empty() ? Json() : Json(answer.by));
  row.push_back(values.time(answer.cost_ns));
  row.emplace_back(report.confidence.is_simulated);
  row.push_back(error ? values.time(static_cast<double>(*error)) : Json());
  row.emplace_back(std::max(report.confidence.lost, report.confidence.gap_records));
  row.push_back(values.time(report.confidence.gap_ns));
  Json confidence = Json::array();
  for (const std::string& line : confidence_of(report)) confidence.add(line);
  row.push_back(std::move(confidence));
  first.add(std::move(row));
  first.print(out, Format::json);
  interval_table(report, values, true).print(out, Format::json);
  unit_table(report, values).print(out, Format::json);
  site_table(report, values).print(out, Format::json);
}

}  // namespace

void print_efficiency(std::ostream& out, Format format, const EfficiencyReport& report, std::size_t most) {
  switch (format) {
    case Format::text:
      return print_text(out, report, most);
    case Format::json:
      return print_json(out, report);
    case Format::csv:
      return interval_table(report, Values(Format::csv), false).print(out, Format::csv);
  }
}

}  // namespace eventspace::efficiency
