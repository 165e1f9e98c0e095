#include "monitors/manual/words_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <set>

#include <eventspace/error.h>
#include "monitors/cli/checked_values.h"
#include "monitors/servers/segment_list.h"
#include "monitors/sessions/session_list.h"
#include "monitors/watching/running_servers.h"
#include "monitors/watching/watched.h"
#include "paths/views/view.h"
#include "scopes/metrics/metric_library.h"
#include "tuplespace/trace/segment.h"

namespace eventspace {
namespace {

using Names = std::set<std::string>;

Names sessions() {
  Names names;
  for (const SessionEntry& session : sessions_of(list_segments(""), running_servers()))
    names.insert(session.name);
  return names;
}

Names scopes_of(const Watched& watched) {
  Names names;
  for (const ScopeTree& scope : watched.plan->scopes) names.insert(scope.scope);
  return names;
}

void add_threads(const std::filesystem::path& segment, Names& names) {
  try {
    const SegmentView view(segment);
    for (const SegmentName& name : view.names())
      if (name.of == static_cast<std::uint16_t>(OwnNameOf::thread)) names.insert(name.text);
  } catch (const EnvironmentError&) {
    // It has just ended, or is damaged.
  }
}

Names threads_of(const Watched& watched, const std::filesystem::path& target) {
  Names names;
  for (const ThreadPlan& thread : watched.plan->threads)
    if (!thread.joint()) names.insert(thread.name);
  if (watched.recorded) {
    for (const OwnName& name : watched.recorded->replay().recording().names())
      if (name.of == OwnNameOf::thread) names.insert(name.text);
  } else if (watched.pathmap.empty()) {
    for (const SegmentEntry& entry : list_segments(target.string()))
      if (entry.kind == SegmentKind::segment && entry.refusal.empty()) add_threads(entry.file, names);
  }
  return names;
}

Names metrics_of_library() {
  Names names;
  for (const metrics::Metric& metric : metrics::MetricLibrary::shipped().metrics()) names.insert(metric.name);
  return names;
}

Names names_of(NamesOf of, const std::filesystem::path& target) {
  if (of == NamesOf::sessions) return sessions();
  if (of == NamesOf::metrics) return metrics_of_library();
  if (target.empty() || target == "-") return {};
  const Watched watched = find_watched(target, "", Recordings::accepted);
  return of == NamesOf::scopes ? scopes_of(watched) : threads_of(watched, target);
}

struct WordsOptions {
  NamesOf of{NamesOf::sessions};
  std::filesystem::path target;
};

}  // namespace

std::vector<std::string> names_to_complete(NamesOf of, const std::filesystem::path& target) try {
  const Names names = names_of(of, target);
  return {names.begin(), names.end()};
} catch (const Error&) {  // a word that is not complete yet
  return {};
}

Command words_command() {
  const auto add = [](CLI::App& app) {
    const auto options = std::make_shared<WordsOptions>();
    add_choice(app, "KIND", options->of,
               {{"sessions", NamesOf::sessions},
                {"scopes", NamesOf::scopes},
                {"threads", NamesOf::threads},
                {"metrics", NamesOf::metrics}},
               "Kind of names")
        ->required();
    app.add_option("TARGET", options->target, "Session, pathmap or recording of scopes and threads");
    return [options] {
      for (const std::string& name : names_to_complete(options->of, options->target))
        std::cout << name << '\n';
      return exit_fine;
    };
  };
  return {"words", "Print names for completion scripts", add, {}, {}, true};
}

}  // namespace eventspace
