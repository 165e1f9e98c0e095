#include "monitors/collectives/command/totals_printer.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <string>
#include <vector>

#include "monitors/cli/result_table.h"
#include "monitors/collectives/command/summary_report.h"
#include "monitors/delays/delay_text.h"
#include "monitors/text/counted.h"
#include "monitors/text/text_format.h"

namespace eventspace {
namespace {

using Collective = WatchedCollectives::Collective;

/// "1.20ms +-40us, 3 times, 800us at most"
std::string mean_text(const TimeSum& sum) {
  if (sum.count == 0) return "-";
  const auto count = static_cast<double>(sum.count);
  const std::string sign = sum.ns < 0 ? "-" : "";
  return fmt::format("{}{} +-{}", sign, duration_of_ns(std::abs(sum.ns) / count),
                     duration_of_ns(sum.error_ns / count));
}

const std::string& edge_name(const Collective& of, std::size_t edge) { return of.shape.edges[edge].name; }

std::string stage_name(const Collective& of, std::size_t edge) {
  return edge_name(of, edge) + " > " + of.shape.joints[of.shape.edges[edge].joint].name;
}

// --- text -------------------------------------------------------------------------------------------

void print_head(std::ostream& out, const Collective& of, std::uint64_t runs) {
  const auto counts = of.analysis.counts();
  fmt::print(out, "{}", outcomes_of(of));
  if (counts.given_up > 0)
    fmt::print(out, ", {} of these were given up because too many were open", counts.given_up);
  if (runs > 1) fmt::print(out, "; the following totals cover {} runs of the application", runs);
  fmt::print(out, "\n");
}

void print_rows(std::ostream& out, std::vector<std::string> names, std::vector<std::vector<Json>> rows,
                std::size_t most) {
  ResultTable table(std::move(names));
  for (auto& row : rows) table.add(std::move(row));
  table.print_first(out, most);
}

void print_text(std::ostream& out, const Collective& of, std::uint64_t runs, std::size_t most) {
  print_head(out, of, runs);
  const CollectiveTotals& totals = of.totals;
  std::vector<std::vector<Json>> rows;
  for (const std::size_t edge : totals.costliest()) {
    const CollectiveTotals::Thread& thread = totals.threads()[edge];
    rows.push_back({edge_name(of, edge), of.shape.edges[edge].node, thread.last, thread.perhaps_last,
                    sum_text(thread.cost), sum_text(thread.avoidable), sum_text(thread.waited)});
  }
  print_rows(out, {"thread", "node", "last", "perhaps last", "cost to others", "avoidable", "own waiting"},
             std::move(rows), most);
  if (totals.unattributed().count > 0)
    fmt::print(out, "waiting with uncertain cause: {}\n", sum_text(totals.unattributed()));
  rows.clear();
  for (const auto& [name, node] : totals.nodes())
    rows.push_back({name, sum_text(node.cost), sum_text(node.waited), sum_text(node.passing)});
  print_rows(out, {"node", "cost to others", "waited", "passing on"}, std::move(rows), most);
  rows.clear();
  for (const std::size_t number : totals.slowest_joints()) {
    const CollectiveTotals::Joint& joint = totals.joints()[number];
    rows.push_back({of.shape.joints[number].name, of.shape.joints[number].node, mean_text(joint.gathering),
                    mean_text(joint.passing_up), mean_text(joint.above), mean_text(joint.handing_down)});
  }
  print_rows(out, {"joint", "node", "gathering", "passing up", "above", "handing down"}, std::move(rows),
             most);
  rows.clear();
  for (const std::size_t edge : totals.slowest_stages()) {
    const CollectiveTotals::Stage& stage = totals.stages()[edge];
    rows.push_back({stage_name(of, edge), mean_text(stage.up), mean_text(stage.down), mean_text(stage.both),
                    sum_text(stage.both)});
  }
  print_rows(out, {"stage", "up", "down", "both", "total"}, std::move(rows), most);
}

void print_delays(std::ostream& out, const DelayReport& delays, const PlanNames& names, std::size_t most) {
  fmt::print(out, "{}\n", describe_delays(delays, names));
  print_rows(out, {"thread", "held others up", "share", "own waiting", "unknown", "first cause"},
             delay_rows(delays, names, true), most);
}

// --- json and csv -----------------------------------------------------------------------------------

class FigureRows {
 public:
  FigureRows(ResultTable& table, const Collective& of) : table_(table), of_(of) {}

  void add_all(std::uint64_t runs) {
    const CollectiveTotals& totals = of_.totals;
    count("runs", "", runs);
    count("operations", "complete", totals.complete());
    count("operations", "incomplete", totals.incomplete());
    count("operations", "open", totals.open());
    count("operations", "broken", totals.broken());
    count("operations", "unseen", of_.analysis.counts().unseen);
    count("operations", "given_up", of_.analysis.counts().given_up);
    count("records", "missing", totals.missing_records());
    count("records", "ignored", of_.analysis.counts().ignored);
    sum("operations", "", "", "unattributed", totals.unattributed());
    for (std::size_t edge = 0; edge < of_.shape.edges.size(); ++edge) add_edge(edge);
    for (std::size_t joint = 0; joint < of_.shape.joints.size(); ++joint) add_joint(joint);
    for (const auto& [name, node] : totals.nodes()) {
      sum("node", name, name, "cost", node.cost);
      sum("node", name, name, "waited", node.waited);
      sum("node", name, name, "passing", node.passing);
    }
  }

 private:
  void add_edge(std::size_t edge) {
    const CollectiveShape::Edge& shape = of_.shape.edges[edge];
    if (shape.is_thread()) {
      const CollectiveTotals::Thread& thread = of_.totals.threads()[edge];
      row("thread", shape.name, shape.node, "last", thread.last, {}, {}, {});
      row("thread", shape.name, shape.node, "perhaps_last", thread.perhaps_last, {}, {}, {});
      sum("thread", shape.name, shape.node, "cost", thread.cost);
      sum("thread", shape.name, shape.node, "avoidable", thread.avoidable);
      sum("thread", shape.name, shape.node, "waited", thread.waited);
    }
    const CollectiveTotals::Stage& stage = of_.totals.stages()[edge];
    sum("stage", shape.name, shape.node, "up", stage.up);
    sum("stage", shape.name, shape.node, "down", stage.down);
    sum("stage", shape.name, shape.node, "both", stage.both);
  }
  void add_joint(std::size_t number) {
    const CollectiveShape::Joint& shape = of_.shape.joints[number];
    const CollectiveTotals::Joint& joint = of_.totals.joints()[number];
    sum("joint", shape.name, shape.node, "gathering", joint.gathering);
    sum("joint", shape.name, shape.node, "passing_up", joint.passing_up);
    sum("joint", shape.name, shape.node, "above", joint.above);
    sum("joint", shape.name, shape.node, "handing_down", joint.handing_down);
  }
  void count(const char* kind, const char* figure, std::uint64_t value) {
    row(kind, "", "", figure, value, {}, {}, {});
  }
  void sum(const char* kind, const std::string& name, const std::string& node, const char* figure,
           const TimeSum& time) {
    const bool is_bounded = time.error_ns < static_cast<double>(Moment::unbounded);
    row(kind, name, node, figure, time.count, time.ns,
        is_bounded ? std::optional(time.error_ns) : std::nullopt, time.most_ns);
  }
  void row(const char* kind, const std::string& name, const std::string& node, const char* figure,
           std::uint64_t count, std::optional<double> ns, std::optional<double> error_ns,
           std::optional<double> most_ns) {
    const auto whole = [](std::optional<double> value) {
      return value ? std::optional(static_cast<std::int64_t>(*value)) : std::nullopt;
    };
    table_.add({of_.shape.name, kind, name, node, figure, count, whole(ns), whole(error_ns), whole(most_ns)});
  }

  ResultTable& table_;
  const Collective& of_;
};

void add_delays(ResultTable& table, const DelayReport& delays, const PlanNames& names) {
  const auto row = [&](const std::string& name, const char* figure, double count, double ns) {
    table.add({"", "delay", name, "", figure, static_cast<std::uint64_t>(count),
               static_cast<std::int64_t>(ns), nullptr, nullptr});
  };
  for (std::size_t i = 0; i < delays.threads.size(); ++i) {
    const auto& [thread, sum, share] = delays.threads[i];
    const std::string name(names.thread_name(thread));
    row(name, "held_up", sum.waits, sum.cost);
    row(name, "waited", 0, sum.waited);
    row(name, "unknown", 0, sum.lost);
    if (i < delays.causes) row(name, "first_cause", sum.waits, sum.cost);
  }
  row("", std::string(to_string(delays.finding)).c_str(), static_cast<double>(delays.causes), delays.waited);
}

}  // namespace

std::string outcomes_of(const Collective& of) {
  std::string text =
      fmt::format("{}: {} complete", of.shape.name, counted(of.totals.complete(), "operation"));
  if (of.totals.incomplete() > 0)
    text += fmt::format(", {} incomplete ({} missing)", of.totals.incomplete(),
                        counted(of.totals.missing_records(), "record"));
  if (const auto unseen = of.analysis.counts().unseen; unseen > 0) text += fmt::format(", {} unseen", unseen);
  if (of.totals.broken() > 0) text += fmt::format(", {} broken", of.totals.broken());
  return text;
}

void print_totals(std::ostream& out, Format format, const WatchedCollectives& watch, const PlanNames& names,
                  const DelayReport* delays, std::size_t most) {
  if (format == Format::text) {
    for (std::size_t i = 0; i < watch.size(); ++i) print_text(out, watch.collective(i), watch.runs(), most);
    if (delays != nullptr) print_delays(out, *delays, names, most);
    return;
  }
  ResultTable table(
      {"collective", "kind", "name", "node", "figure", "count", "sum_ns", "error_ns", "most_ns"});
  for (std::size_t i = 0; i < watch.size(); ++i) FigureRows(table, watch.collective(i)).add_all(watch.runs());
  if (delays != nullptr) add_delays(table, *delays, names);
  table.print(out, format);
}

}  // namespace eventspace
