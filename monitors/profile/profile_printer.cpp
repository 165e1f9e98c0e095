#include "monitors/profile/profile_printer.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "monitors/cli/named_table.h"
#include "monitors/delays/delay_text.h"
#include "monitors/text/counted.h"
#include "monitors/text/text_format.h"

namespace eventspace {
namespace {

using std::chrono::nanoseconds;

/// Durations and sizes for display, or as numbers.
class Values {
 public:
  explicit Values(Format format) noexcept : is_text_(format == Format::text) {}
  [[nodiscard]] Json time(nanoseconds time) const {
    return is_text_ ? Json(short_duration(time)) : Json(std::chrono::duration<double>(time).count());
  }
  [[nodiscard]] Json size(std::uint64_t bytes) const {
    return is_text_ ? Json(short_size(bytes)) : Json(bytes);
  }
  [[nodiscard]] Json share(nanoseconds part, nanoseconds whole) const {
    const double share =
        whole.count() == 0 ? 0 : static_cast<double>(part.count()) / static_cast<double>(whole.count());
    return is_text_ ? Json(fmt::format("{:.0f}%", 100 * share)) : Json(share);
  }

  [[nodiscard]] bool is_text() const noexcept { return is_text_; }

 private:
  bool is_text_;
};

// The times of threads. `place` is the column for the member that tells rows of one thread apart.
NamedTable times_of(const std::vector<JobProfile::Thread>& threads, std::string JobProfile::Thread::*place,
                    NamedTable table, const Values& values) {
  table.columns.insert(table.columns.end(), {"calls", "span_s", "compute_s", "transfer_s", "waiting_s",
                                             "waiting_share", "late_s"});
  for (const JobProfile::Thread& thread : threads) {
    table.rows.push_back({thread.name, thread.*place, thread.calls, values.time(thread.span),
                          values.time(thread.compute()), values.time(thread.transfer()),
                          values.time(thread.waiting), values.share(thread.waiting, thread.span),
                          values.time(thread.late)});
  }
  return table;
}

// In text, the names of threads tell ranks well enough.
NamedTable threads_of(const JobProfile& profile, const Values& values) {
  const std::vector<JobProfile::Thread> threads = profile.threads();
  NamedTable table = times_of(threads, &JobProfile::Thread::node,
                              {"threads", "where time goes", {"thread", "node"}}, values);
  if (values.is_text()) return table;
  table.columns.emplace_back("rank");
  for (std::size_t i = 0; i < threads.size(); ++i)
    table.rows[i].push_back(threads[i].rank ? Json(*threads[i].rank) : Json());
  return table;
}

NamedTable phases_of(const JobProfile& profile, const Values& values) {
  return times_of(profile.phases(), &JobProfile::Thread::phase,
                  {"phases", "where time goes by phase", {"thread", "phase"}}, values);
}

NamedTable matrix_of(const JobProfile& profile, const Values& values) {
  NamedTable table{"matrix", "messages by sender and receiver", {"from", "to", "over", "messages", "bytes"}};
  for (const JobProfile::Flow& flow : profile.flows())
    table.rows.push_back({flow.from, flow.to, flow.over, flow.messages, values.size(flow.bytes)});
  return table;
}

NamedTable sizes_of(const JobProfile& profile, const Values& values) {
  NamedTable table{"sizes", "sizes", {"what", "least", "most", "count", "bytes"}};
  for (const JobProfile::Size& size : profile.sizes())
    table.rows.push_back(
        {size.what, values.size(size.least), values.size(size.most), size.count, values.size(size.bytes)});
  return table;
}

NamedTable calls_of(const JobProfile& profile, const Values& values) {
  NamedTable table{"calls", "calls", {"call", "site", "calls", "time_s", "longest_s", "bytes"}};
  for (const JobProfile::CallSum& call : profile.calls())
    table.rows.push_back({call.call, call.site, call.calls, values.time(call.time), values.time(call.longest),
                          values.size(call.bytes)});
  return table;
}

void print_table(std::ostream& out, NamedTable table, std::size_t most) {
  fmt::print(out, "{}:\n", table.title);
  if (table.rows.empty()) {
    fmt::print(out, "nothing\n\n");
    return;
  }
  print_in_text(out, std::move(table), most);
  fmt::print(out, "\n");
}

void print_delays(std::ostream& out, Format format, const DelayReport& delays, const PlanNames& names,
                  std::size_t most) {
  const bool is_text = format == Format::text;
  NamedTable table{"delays", describe_delays(delays, names), delay_columns(),
                   delay_rows(delays, names, is_text)};
  is_text ? print_table(out, std::move(table), most) : print_rows(out, format, std::move(table));
}

}  // namespace

void print_profile(std::ostream& out, Format format, ProfileTable which, const JobProfile& profile,
                   const std::optional<DelayReport>& delays, const PlanNames& names, std::size_t most) {
  const Values values(format);
  const std::vector<std::pair<ProfileTable, NamedTable (*)(const JobProfile&, const Values&)>> tables{
      {ProfileTable::threads, threads_of},
      {ProfileTable::phases, phases_of},
      {ProfileTable::matrix, matrix_of},
      {ProfileTable::sizes, sizes_of},
      {ProfileTable::calls, calls_of}};
  const bool is_one = format == Format::csv && which == ProfileTable::all;
  for (const auto& [name, make] : tables) {
    if (is_one ? name != ProfileTable::threads : which != ProfileTable::all && which != name) continue;
    NamedTable table = make(profile, values);
    if (which == ProfileTable::all && name == ProfileTable::phases && table.rows.empty()) continue;
    if (format == Format::text) {
      print_table(out, std::move(table), most);
    } else {
      print_rows(out, format, std::move(table));
    }
  }
  const bool wants_delays = which == ProfileTable::delays || (which == ProfileTable::all && !is_one);
  if (wants_delays && delays) print_delays(out, format, *delays, names, most);
  if (format == Format::text && profile.left_out() > 0)
    fmt::print(out, "left out: {} values, because the partner is unknown or a table is full\n",
               profile.left_out());
  if (format == Format::text && profile.calls_of_spawned() > 0)
    fmt::print(out, "left out: the messages of spawned jobs, which made {}\n",
               counted(profile.calls_of_spawned(), "call"));
}

}  // namespace eventspace
