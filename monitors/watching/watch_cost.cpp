#include "monitors/watching/watch_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "monitors/text/counted.h"
#include "monitors/text/text_format.h"

namespace eventspace {
namespace {

using std::chrono::nanoseconds;

nanoseconds cpu_time() noexcept {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
}

template <class Items>
auto& find_or_add(Items& items, const std::string& name) {
  const auto found = std::find_if(items.begin(), items.end(), [&](const auto& i) { return i.name == name; });
  if (found != items.end()) return *found;
  items.emplace_back().name = name;
  return items.back();
}

}  // namespace

WatchCost::WatchCost() : begun_(Clock::now()), cpu_begun_(cpu_time()) {}

void WatchCost::count(const View& view, nanoseconds elapsed) {
  last_pull_ = elapsed;
  pulling_ += elapsed;
  ++pulls_;
  for (const LevelTime& level : view.levels) add(level);
}

void WatchCost::add(const LevelTime& level) {
  Level& group = find_or_add(levels_, level.name.substr(0, level.name.find(' ')));
  Part& part = find_or_add(group.parts, level.name);
  ++part.pulls;
  part.elapsed += level.elapsed;
}

WatchCost::Sum WatchCost::so_far() const noexcept {
  return {std::max<nanoseconds>(Clock::now() - begun_, nanoseconds(1)), cpu_time() - cpu_begun_, pulls_,
          pulling_};
}

void WatchCost::print(std::ostream& out, const Link::Counts& traffic) const {
  const auto [elapsed, cpu, pulls, pulling] = so_far();
  const nanoseconds each = pulling / static_cast<std::int64_t>(std::max<std::uint64_t>(pulls, 1));
  out << fmt::format(
      "cost of watching: {} of processor time in {} ({:.2f} %); {} of {}; {} received in {}, {} sent in {}\n",
      short_duration(cpu), short_duration(elapsed),
      100.0 * static_cast<double>(cpu.count()) / static_cast<double>(elapsed.count()), counted(pulls, "pull"),
      short_duration(each), short_size(traffic.bytes_received), counted(traffic.messages_received, "message"),
      short_size(traffic.bytes_sent), counted(traffic.messages_sent, "message"));
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) print(out, *level);
}

void WatchCost::print(std::ostream& out, const Level& level) {
  nanoseconds sum{};
  for (const Part& part : level.parts) sum += part.mean();
  const auto slowest = std::max_element(level.parts.begin(), level.parts.end(),
                                        [](const Part& a, const Part& b) { return a.mean() < b.mean(); });
  out << fmt::format("  level {}: {} per pull", level.name,
                     short_duration(sum / static_cast<std::int64_t>(level.parts.size())));
  if (level.parts.size() > 1) {
    out << fmt::format(" (mean of {}; slowest: {}, {})", level.parts.size(), short_duration(slowest->mean()),
                       slowest->name);
  }
  out << '\n';
}

}  // namespace eventspace
