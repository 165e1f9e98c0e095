#include "monitors/web/report/report_totals.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <sstream>

#include <eventspace/error.h>
#include "monitors/collectives/collective_scope.h"
#include "monitors/collectives/collectives_monitor.h"
#include "monitors/delays/path_delays.h"
#include "monitors/profile/profile_printer.h"
#include "monitors/questions/asked_watch.h"
#include "monitors/watching/watch_session.h"
#include "pathmaps/plan/plan_lookup.h"
#include "scopes/tree/newest_of_each.h"

namespace eventspace::web {
namespace {

ScopeTree scope_of_collectives(const Watched& watched) {
  return watched.plan->has_pathmap ? collective_scope(watched.pathmap, *watched.plan)
                                   : require_scope(*watched.plan, "events");
}

}  // namespace

std::string collective_totals_of(const std::filesystem::path& recording) {
  WatchSession session(recording, "", {});
  const Watched& watched = session.watched;
  if (watched.plan->has_pathmap && watched.plan->collectives.empty()) return {};
  CollectivesOptions options;
  options.pathmap = recording;
  options.total = true;
  options.quiet = true;
  options.format = Format::json;
  Consumer& consumer = session.consumer;
  ScopeViews views(consumer.open(scope_of_collectives(watched)));
  const ScopeTree& tree = views.scope().tree();
  ScopeViews newest(consumer.open(newest_of_each(tree)));
  std::ostringstream out;
  CollectivesMonitor monitor(consumer.plan(), consumer.names(), tree, options, views, newest, *session.time,
                             out);
  const auto delays = DelayWatch::on_paths(consumer, watched.pathmap, {});
  if (delays != nullptr) monitor.watch_delays(*delays);
  monitor.watch();
  return out.str();
}

std::string profile_of(const std::filesystem::path& recording, std::size_t most_flows) {
  WatchOptions options{.pathmap = recording, .scope = "events", .interval = std::chrono::milliseconds(200)};
  AskedWatch watch(options, {.part = Played::Part::end, .looks = 1},
                   [](const Plan& /*plan*/) { return AskedScope{.name = "events"}; });
  JobProfile profile(watch.names());
  std::optional<PathDelays> delays;
  if (watch.plan().has_pathmap) delays.emplace(watch.plan(), watch.names());
  watch.run([&]() -> WatchLoop::Pause {
    do {
      const View view = watch.pull();
      profile.add(view);
      if (delays) delays->add(view);
    } while (watch.loop().has_rest());
    if (delays) delays->settle();
    return options.interval;
  });
  profile.settle();
  std::optional<DelayReport> report;
  if (delays) delays->finish();
  if (delays) report = report_delays(delays->origins());
  std::ostringstream out;
  print_profile(out, Format::json, ProfileTable::all, profile, report, watch.names(), 0);
  return first_lines(out.str(), R"({"table":"matrix",)", most_flows);
}

std::string first_lines(const std::string& lines, std::string_view beginning, std::size_t most) {
  std::string kept;
  std::size_t count = 0;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size() - 1) + 1;
    const std::string_view line(lines.data() + at, end - at);
    if (!line.starts_with(beginning) || count++ < most) kept += line;
    at = end;
  }
  if (count > most) kept += fmt::format("{{\"table\":\"left_out\",\"rows\":{}}}\n", count - most);
  return kept;
}

}  // namespace eventspace::web
