#include "monitors/whatif/simulation/trace.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace eventspace::whatif {

void SimulationTrace::Course::add(Picoseconds at, std::uint64_t bytes) {
  while (static_cast<std::size_t>(at / span_) >= max_spans) {
    span_ *= 2;
    for (std::size_t i = 0; i < spans_.size(); ++i) {
      const Flow of = std::exchange(spans_[i], {});
      spans_[i / 2].messages += of.messages;
      spans_[i / 2].bytes += of.bytes;
    }
    spans_.resize((spans_.size() + 1) / 2);
  }
  const auto place = static_cast<std::size_t>(at / span_);
  if (place >= spans_.size()) spans_.resize(place + 1);
  spans_[place].messages += 1;
  spans_[place].bytes += bytes;
}

void SimulationTrace::waited(std::uint32_t task, Picoseconds until, const Awaited& what) {
  const bool is_own = what.own_began > what.partner_began;
  waits[task].push_back({until, std::min(std::max(what.own_began, what.partner_began), until),
                         is_own ? task : what.partner, what.partner, what.receives});
}

void SimulationTrace::sent(std::uint32_t from, std::uint32_t to, std::uint64_t bytes, Picoseconds at) {
  Flow& flow = flows[{from, to}];
  flow.messages += 1;
  flow.bytes += bytes;
  course.add(at, bytes);
}

// Walks back from the end: the task's work since its last wait, then the message, then its sender's work.
CriticalPath critical_path(const SimulationTrace& trace, const std::vector<Picoseconds>& ends) {
  CriticalPath path{.tasks = std::vector<Picoseconds>(ends.size())};
  if (ends.empty()) return path;
  auto task = static_cast<std::uint32_t>(std::ranges::max_element(ends) - ends.begin());
  Picoseconds time = ends[task];
  std::map<std::pair<std::uint32_t, std::uint32_t>, CriticalPath::Link> links;
  // For each task, the number of its waits that the walk back has not passed yet.
  std::vector<std::size_t> behind;
  for (const auto& waits : trace.waits) behind.push_back(waits.size());
  while (true) {
    const auto& waits = trace.waits[task];
    std::size_t& place = behind[task];
    while (place > 0 && waits[place - 1].until > time) --place;
    if (place == 0) break;
    const SimulationTrace::Wait& wait = waits[--place];
    path.tasks[task] += time - wait.until;
    const auto ends_of = wait.receives ? std::pair(wait.partner, task) : std::pair(task, wait.partner);
    CriticalPath::Link& link = links[ends_of];
    std::tie(link.from, link.to) = ends_of;
    link.time += wait.until - wait.since;
    link.messages += 1;
    time = wait.since;
    task = wait.cause;
  }
  path.tasks[task] += time;
  for (const auto& [ends_of, link] : links) path.links.push_back(link);
  std::ranges::stable_sort(path.links, [](const auto& a, const auto& b) { return a.time > b.time; });
  return path;
}

}  // namespace eventspace::whatif
