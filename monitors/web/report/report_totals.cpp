#include "monitors/web/report/report_totals.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "monitors/collectives/collective_scope.h"
#include "monitors/collectives/command/collectives_monitor.h"
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

std::string first_lines(const std::string& lines, std::size_t most) {
  std::size_t end = 0;
  for (std::size_t count = 0; count < most && end < lines.size(); ++count)
    end = std::min(lines.find('\n', end), lines.size() - 1) + 1;
  const auto rest = std::count(lines.begin() + static_cast<std::ptrdiff_t>(end), lines.end(), '\n');
  return lines.substr(0, end) +
         (rest > 0 ? fmt::format("{{\"kind\":\"left_out\",\"count\":{}}}\n", rest) : "");
}

}  // namespace eventspace::web
