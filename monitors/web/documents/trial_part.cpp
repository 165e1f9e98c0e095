#include "monitors/web/documents/trial_part.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "monitors/web/documents/parts.h"

namespace eventspace::web {
namespace {

using std::chrono::nanoseconds;

double share_of_time(nanoseconds part, nanoseconds whole) noexcept {
  return whole.count() > 0 ? static_cast<double>(part.count()) / static_cast<double>(whole.count()) : 0;
}

// The levels, outermost first: of each the slowest part.
Json levels_json(const std::vector<LevelTime>& parts) {
  struct Level {
    std::string name;
    std::size_t parts{0};
    const LevelTime* slowest{nullptr};
  };
  std::vector<Level> levels;
  for (const LevelTime& part : parts) {
    const std::string name = part.name.substr(0, part.name.find(' '));
    auto level = std::ranges::find(levels, name, &Level::name);
    if (level == levels.end()) level = levels.insert(level, Level{.name = name});
    ++level->parts;
    if (level->slowest == nullptr || part.elapsed > level->slowest->elapsed) level->slowest = &part;
  }
  std::ranges::reverse(levels);
  Json all = Json::array();
  for (const Level& level : levels) {
    all.add(Json::object({{"level", level.name},
                          {"parts", level.parts},
                          {"slowest", level.slowest->name},
                          {"time_s", rounded(seconds_of(level.slowest->elapsed))}}));
  }
  return all;
}

Json slowdown_json(const TrialFigures& figures) {
  constexpr std::size_t least_pairs = 6;  // fewer have no 95 % interval of their median
  if (!figures.no_slowdown.empty() || !figures.estimate)
    return Json::object({{"reason", figures.no_slowdown}});
  const tune::Estimate& estimate = *figures.estimate;
  if (estimate.pairs < least_pairs)
    return Json::object({{"reason", fmt::format("{} of {} pairs", estimate.pairs, least_pairs)}});
  Json slowdown = Json::object({{"reason", ""}});
  slowdown.set("ratio", rounded(estimate.figures.slowdown));
  slowdown.set("low", rounded(estimate.slowdown_low));
  slowdown.set("high", rounded(estimate.slowdown_high));
  slowdown.set("pairs", estimate.pairs);
  return slowdown;
}

}  // namespace

Json trial_json(const TrialFigures& figures) {
  const auto pulls = static_cast<std::int64_t>(std::max<std::uint64_t>(figures.pulls, 1));
  return Json::object({{"number", figures.number},
                       {"scope", figures.wish.scope},
                       {"variant", figures.wish.variant},
                       {"tree", figures.words},
                       {"asked_rate", Json(figures.wish.rate)},
                       {"rate", rounded(figures.rate())},
                       {"pulling_s", rounded(seconds_of(figures.pulling))},
                       {"pulls", figures.pulls},
                       {"partial", figures.pulls - figures.whole},
                       {"pull_s", rounded(seconds_of(figures.in_pulls / pulls))},
                       {"levels", levels_json(figures.levels)},
                       {"missing", figures.missing},
                       {"page_cpu_share", rounded(share_of_time(figures.page_cpu, figures.pulling))},
                       {"servers_cpu_share", rounded(share_of_time(figures.servers_cpu, figures.pulling))},
                       {"servers", figures.servers},
                       {"servers_here", figures.servers_here},
                       {"slowdown", slowdown_json(figures)},
                       {"ended", figures.ended}});
}

}  // namespace eventspace::web
