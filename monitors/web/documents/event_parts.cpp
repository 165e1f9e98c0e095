#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "monitors/profile/flow_bins.h"
#include "monitors/web/documents/parts.h"

namespace eventspace::web {
namespace {

constexpr std::size_t max_call_sites = 200;
constexpr std::size_t max_calls_of_thread = 50;
constexpr std::size_t max_matrix_rows_on_page = 128;
constexpr std::size_t max_communicators = 64;

/// A JSON object of columns: each row adds one value to each.
class Columns {
 public:
  explicit Columns(std::vector<std::string> names) : names_(std::move(names)) {
    values_.resize(names_.size(), Json::array());
  }
  void add(std::vector<Json> row) {
    for (std::size_t i = 0; i < names_.size(); ++i) values_[i].add(std::move(row[i]));
  }
  [[nodiscard]] Json object() && {
    Json object = Json::object();
    for (std::size_t i = 0; i < names_.size(); ++i) object.set(names_[i], std::move(values_[i]));
    return object;
  }

 private:
  std::vector<std::string> names_;
  std::vector<Json> values_;
};

/// What has been read, for each part.
Json reading_of(const EventSums& sums) {
  return Json::object({{"since_s", sums.since_s},
                       {"is_whole", sums.is_whole},
                       {"lost", sums.loss.discarded + sums.loss.torn + sums.loss.emptied + sums.loss.failed},
                       {"partial", sums.missing},
                       {"left_out", sums.profile->left_out()}});
}

// In the order of their numbers, so that a thread keeps its place while the times change.
std::vector<JobProfile::Thread> threads_in_order(const EventSums& sums) {
  std::vector<JobProfile::Thread> threads = sums.profile->threads();
  std::ranges::sort(threads, {}, &JobProfile::Thread::number);
  return threads;
}

void add_profile(const EventSums& sums, const std::vector<JobProfile::Thread>& threads,
                 Document::Parts& parts) {
  parts.emplace_back("profile", Json::object({{"threads", threads.size()}, {"reading", reading_of(sums)}}));
  for (std::size_t first = 0; first < threads.size(); first += threads_in_block) {
    Columns block({"names", "nodes", "calls", "span_s", "compute_s", "transfer_s", "waiting_s", "late_s"});
    const std::size_t end = std::min(first + threads_in_block, threads.size());
    for (std::size_t i = first; i < end; ++i) {
      const JobProfile::Thread& thread = threads[i];
      block.add({thread.name, thread.node, thread.calls, seconds_of(thread.span),
                 seconds_of(thread.compute()), seconds_of(thread.transfer()), seconds_of(thread.waiting),
                 seconds_of(thread.late)});
    }
    Json value = std::move(block).object();
    value.set("first", first);
    parts.emplace_back(fmt::format("profile/{}", first / threads_in_block), std::move(value));
  }
}

/// The first rows, and the sum of the others.
Json table_of(const std::vector<JobProfile::CallSum>& calls, std::size_t most) {
  Columns table({"call", "site", "calls", "time_s", "longest_s", "bytes"});
  std::chrono::nanoseconds others{0};
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const JobProfile::CallSum& call = calls[i];
    if (i >= most)
      others += call.time;
    else
      table.add(
          {call.call, call.site, call.calls, seconds_of(call.time), seconds_of(call.longest), call.bytes});
  }
  Json value = std::move(table).object();
  value.set("others", calls.size() - std::min(calls.size(), most));
  value.set("others_s", seconds_of(others));
  return value;
}

void add_calls_of(const EventSums& sums, const std::vector<JobProfile::Thread>& threads,
                  const WantedParts& wanted, Document::Parts& parts) {
  std::vector<std::size_t> numbers = wanted.numbers("calls_of");
  if (wanted.last)
    for (std::size_t i = 0; i < threads.size(); ++i) numbers.push_back(i);
  for (const std::size_t number : numbers) {
    if (number >= threads.size()) continue;
    Json value = table_of(sums.profile->calls_of(threads[number].number), max_calls_of_thread);
    value.set("thread", threads[number].name);
    parts.emplace_back(fmt::format("calls_of/{}", number), std::move(value));
  }
}

// --- communication --------------------------------------------------------------------------------------

/// The communicators and paths of the matrix, by name, each with its sum.
std::map<std::string, JobProfile::Flow> ways_of(const std::vector<JobProfile::Flow>& flows) {
  std::map<std::string, JobProfile::Flow> ways;
  for (const JobProfile::Flow& flow : flows) {
    JobProfile::Flow& way = ways[flow.over];
    way.messages += flow.messages;
    way.bytes += flow.bytes;
  }
  return ways;
}

Json sizes_of(const JobProfile& profile) {
  Columns table({"what", "least", "most", "count", "bytes"});
  for (const JobProfile::Size& size : profile.sizes())
    table.add({size.what, size.least, size.most, size.count, size.bytes});
  return std::move(table).object();
}

Json communication_part(const EventSums& sums, const FlowBins& bins,
                        const std::map<std::string, JobProfile::Flow>& ways) {
  Json rows = Json::array();
  for (const std::string& row : bins.rows) rows.add(row);
  Columns over({"name", "messages", "bytes"});
  std::size_t count = 0;
  for (const auto& [name, sum] : ways)
    if (count++ < max_communicators) over.add({name, sum.messages, sum.bytes});
  return Json::object({{"participants", bins.participants},
                       {"share", bins.share},
                       {"rows", std::move(rows)},
                       {"over", std::move(over).object()},
                       {"others", ways.size() - std::min(ways.size(), max_communicators)},
                       {"sizes", sizes_of(*sums.profile)},
                       {"spawned_calls", sums.profile->calls_of_spawned()},
                       {"reading", reading_of(sums)}});
}

Json cells_of(const FlowBins& bins) {
  Columns cells({"row", "column", "messages", "bytes", "late_s"});
  for (const FlowBins::Cell& cell : bins.cells)
    cells.add({cell.row, cell.column, cell.messages, cell.bytes, seconds_of(cell.late)});
  return std::move(cells).object();
}

// "flows/0" has all communicators together, "flows/N" the N-th of the part "communication", from 1.
void add_communication(const EventSums& sums, const WantedParts& wanted, Document::Parts& parts) {
  const auto flows = sums.profile->flows();
  const auto late = sums.profile->late_of_pairs();
  const auto ways = ways_of(flows);
  const FlowBins all = bin_flows(flows, late, max_matrix_rows_on_page);
  parts.emplace_back("communication", communication_part(sums, all, ways));
  std::size_t number = 0;
  const auto numbers = wanted.numbers("flows");
  const bool has_all = wanted.last || wanted.names.contains("flows");
  const auto is_wanted = [&] { return has_all || std::ranges::count(numbers, number) > 0; };
  if (is_wanted()) parts.emplace_back("flows/0", cells_of(all));
  for (const auto& way : ways) {
    if (++number > max_communicators) break;
    if (!is_wanted()) continue;
    const FlowBins bins = bin_flows(flows, late, max_matrix_rows_on_page, way.first);
    Json value = cells_of(bins);
    value.set("over", way.first);
    parts.emplace_back(fmt::format("flows/{}", number), std::move(value));
  }
}

}  // namespace

bool wants_events(const WantedParts& wanted) {
  return wanted.has("profile") || wanted.has("call_sites") || wanted.has("communication");
}

Document::Parts event_parts(const EventSums& sums, const WantedParts& wanted, bool with_matrices) {
  Document::Parts parts;
  if (wanted.has("profile")) {
    const auto threads = threads_in_order(sums);
    add_profile(sums, threads, parts);
    add_calls_of(sums, threads, wanted, parts);
  }
  if (wanted.has("call_sites"))
    parts.emplace_back("call_sites", table_of(sums.profile->calls(), max_call_sites));
  if (with_matrices && wanted.has("communication")) add_communication(sums, wanted, parts);
  return parts;
}

}  // namespace eventspace::web
