#include "monitors/collectives/command/job_totals_printer.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <map>

#include "monitors/cli/result_table.h"
#include "monitors/text/text_format.h"

namespace eventspace {
namespace {

/// The time that one rank cost the others, and its own waiting.
struct RankCost {
  double by_operations{0};
  double by_sends{0};     ///< as a late sender
  double by_receives{0};  ///< as a late receiver
  double waited{0};
  [[nodiscard]] double all() const noexcept { return by_operations + by_sends + by_receives; }
};

std::string rank_name(std::uint32_t rank) { return fmt::format("rank {}", rank); }

std::map<std::string, RankCost> costs_of(const MpiCollectives& job) {
  std::map<std::string, RankCost> costs;
  for (std::size_t i = 0; i < job.size(); ++i) {
    const auto& collective = job.collective(i);
    for (std::size_t edge = 0; edge < collective.shape.edges.size(); ++edge) {
      const CollectiveTotals::Thread& thread = collective.totals.threads()[edge];
      RankCost& cost = costs[collective.shape.edges[edge].name];
      cost.by_operations += thread.cost.ns;
      cost.waited += thread.waited.ns;
    }
  }
  for (const auto& [pair, sum] : job.message_waits()) {
    const auto waited = static_cast<double>(sum.waited.count());
    costs[rank_name(pair.waiting)].waited += waited;
    if (!pair.partner) continue;
    RankCost& cost = costs[rank_name(*pair.partner)];
    (pair.late == MessageWaits::Late::receiver ? cost.by_receives : cost.by_sends) += waited;
  }
  return costs;
}

void print_job_rows(std::ostream& out, std::vector<std::string> columns, std::vector<std::vector<Json>> rows,
                    std::size_t most) {
  ResultTable table(std::move(columns));
  for (auto& row : rows) table.add(std::move(row));
  table.print_first(out, most);
}

using WaitOfPair = std::pair<MessageWaits::Pair, MpiCollectives::MessageWait>;

std::vector<WaitOfPair> longest_waits(const MpiCollectives& job) {
  const auto waits = job.message_waits();
  std::vector<WaitOfPair> all(waits.begin(), waits.end());
  std::ranges::stable_sort(all, std::greater(), [](const auto& entry) { return entry.second.waited; });
  return all;
}

// With the error of the clocks, if the messages were matched.
std::string wait_text(const MpiCollectives::MessageWait& wait) {
  std::string waited = duration_of_ns(static_cast<double>(wait.waited.count()));
  if (!wait.error) return waited;
  std::string text = fmt::format("{} +-{}", waited, duration_of_ns(static_cast<double>(wait.error->count())));
  return wait.unclear == 0 ? text : fmt::format("{}, {} indistinguishable", text, wait.unclear);
}

std::string_view word_for(MessageWaits::Late late) noexcept {
  switch (late) {
    case MessageWaits::Late::sender:
      return "late sender";
    case MessageWaits::Late::receiver:
      return "late receiver";
    case MessageWaits::Late::unknown:
      return "several";
  }
  return "?";
}

std::optional<std::string> partner_name(const MessageWaits::Pair& pair) {
  return pair.partner ? std::optional(rank_name(*pair.partner)) : std::nullopt;
}

void print_job_text(std::ostream& out, const MpiCollectives& job, std::size_t most) {
  const auto costs = costs_of(job);
  std::vector<std::pair<std::string, RankCost>> sorted(costs.begin(), costs.end());
  std::ranges::stable_sort(sorted, std::greater(), [](const auto& entry) { return entry.second.all(); });
  std::vector<std::vector<Json>> rows;
  rows.reserve(sorted.size());
  for (const auto& [rank, cost] : sorted)
    rows.push_back({rank, duration_of_ns(cost.all()), duration_of_ns(cost.by_operations),
                    duration_of_ns(cost.by_sends), duration_of_ns(cost.by_receives),
                    duration_of_ns(cost.waited)});
  print_job_rows(
      out, {"rank", "cost to the job", "in operations", "as late sender", "as late receiver", "own waiting"},
      std::move(rows), most);
  rows.clear();
  for (const auto& [pair, sum] : longest_waits(job))
    rows.push_back(
        {rank_name(pair.waiting), partner_name(pair), word_for(pair.late), sum.calls, wait_text(sum)});
  print_job_rows(out, {"rank", "waited for", "cause", "calls", "waited"}, std::move(rows), most);
}

void print_job_table(std::ostream& out, Format format, const MpiCollectives& job) {
  ResultTable table(
      {"collective", "kind", "name", "node", "figure", "count", "sum_ns", "error_ns", "most_ns"});
  const auto row = [&](std::string_view collective, const char* kind, const std::string& name,
                       const std::string& figure, std::uint64_t count, double ns, Json error = nullptr) {
    table.add({collective, kind, name, "", figure, count, static_cast<std::int64_t>(ns), std::move(error),
               nullptr});
  };
  for (const auto& [rank, cost] : costs_of(job)) {
    row("", "rank", rank, "cost", 0, cost.all());
    row("", "rank", rank, "cost_in_operations", 0, cost.by_operations);
    row("", "rank", rank, "cost_as_late_sender", 0, cost.by_sends);
    row("", "rank", rank, "cost_as_late_receiver", 0, cost.by_receives);
    row("", "rank", rank, "waited", 0, cost.waited);
  }
  for (const CollectiveSummary::Row* const call : job.summary().rows())
    row(call->collective, "call", call->call.text(), "waiting", call->operations, call->waiting.ns);
  for (const auto& [pair, sum] : longest_waits(job))
    row(partner_name(pair).value_or(""), "message", rank_name(pair.waiting), std::string(word_for(pair.late)),
        sum.calls, static_cast<double>(sum.waited.count()), sum.error ? Json(sum.error->count()) : Json());
  row("", "calls", "", "left_out", job.left_out(), 0);
  row("", "calls", "", "of_spawned_jobs", job.calls_of_other_jobs(), 0);
  table.print(out, format);
}

}  // namespace

void print_job_totals(std::ostream& out, Format format, const MpiCollectives& job, std::size_t most) {
  if (format == Format::text) return print_job_text(out, job, most);
  print_job_table(out, format, job);
}

}  // namespace eventspace
