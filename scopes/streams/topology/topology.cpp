#include <eventspace/topology.h>

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include <eventspace/error.h>

namespace eventspace::streams {
namespace {

void require_size(std::string_view what, std::size_t given, std::size_t least = 1) {
  if (given >= least && given < Topology::max_processes) return;
  throw ConfigurationError(fmt::format("a topology with {} {}; from {} to {} are allowed", given, what, least,
                                       Topology::max_processes - 1));
}

}  // namespace

std::string TreeProcess::name() const { return fmt::format("{}:{}", host.empty() ? "any" : host, instance); }

std::uint32_t Topology::add(std::uint32_t parent) {
  require_size("processes", processes_.size());
  const auto made = static_cast<std::uint32_t>(processes_.size());
  processes_.emplace_back().parent = parent;
  processes_[parent].children.push_back(made);
  return made;
}

// Numbers the back-ends from left to right, so that each subtree has one range of ranks. Without recursion,
// since a written topology may be a chain.
void Topology::finish() {
  if (size() < 2) throw ConfigurationError("a topology without any process below the front-end");
  by_rank_.clear();
  std::vector<std::uint32_t> waiting{0};
  while (!waiting.empty()) {
    const std::uint32_t at = waiting.back();
    waiting.pop_back();
    TreeProcess& process = processes_[at];
    if (at != 0) process.part = process.children.empty() ? Part::back_end : Part::internal;
    if (process.part == Part::back_end) {
      process.rank = static_cast<RankSet::Rank>(by_rank_.size());
      by_rank_.push_back(at);
    }
    waiting.insert(waiting.end(), process.children.rbegin(), process.children.rend());
  }
}

Topology Topology::flat(std::size_t back_ends) { return balanced(std::span(&back_ends, 1)); }

Topology Topology::balanced(std::span<const std::size_t> fan_outs) {
  Topology made;
  if (fan_outs.empty()) throw ConfigurationError("a balanced topology needs the fan-out of each level");
  std::vector<std::uint32_t> level{0};
  for (const std::size_t fan_out : fan_outs) {
    require_size("children", fan_out);
    std::vector<std::uint32_t> next;
    for (const std::uint32_t parent : level) {
      for (std::size_t i = 0; i < fan_out; ++i) next.push_back(made.add(parent));
    }
    level = std::move(next);
  }
  made.finish();
  return made;
}

Topology Topology::k_ary(std::size_t fan_out, std::size_t back_ends) {
  require_size("children", fan_out, 2);
  require_size("back-ends", back_ends);
  Topology made;
  // (process, back-ends below it). A process with more back-ends than children allowed distributes them.
  std::vector<std::pair<std::uint32_t, std::size_t>> waiting{{0, back_ends}};
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    const auto [parent, below] = waiting[i];
    const std::size_t children = std::min(fan_out, below);
    for (std::size_t child = 0; child < children; ++child) {
      const std::size_t share = below * (child + 1) / children - below * child / children;
      const std::uint32_t number = made.add(parent);
      if (share > 1) waiting.emplace_back(number, share);
    }
  }
  made.finish();
  return made;
}

Topology Topology::k_nomial(std::size_t k, std::size_t processes) {
  require_size("children in a round", k, 2);
  require_size("processes", processes, 2);
  Topology made;
  made.processes_.resize(processes);
  for (std::size_t process = 0; process < processes; ++process) {
    // The children of a process differ from it in one digit to base k, right of its last digit that is not 0.
    std::vector<std::uint32_t> children;
    for (std::size_t weight = 1; weight < processes && process % (weight * k) == 0; weight *= k) {
      for (std::size_t digit = 1; digit < k && process + digit * weight < processes; ++digit)
        children.push_back(static_cast<std::uint32_t>(process + digit * weight));
    }
    std::ranges::reverse(children);  // the largest subtree begins first
    for (const std::uint32_t child : children)
      made.processes_[child].parent = static_cast<std::uint32_t>(process);
    made.processes_[process].children = std::move(children);
  }
  made.finish();
  return made;
}

Topology Topology::generic(const std::vector<std::vector<std::size_t>>& levels) {
  Topology made;
  std::vector<std::uint32_t> level{0};
  for (std::size_t depth = 0; depth < levels.size(); ++depth) {
    if (levels[depth].size() != level.size()) {
      throw ConfigurationError(
          fmt::format("a generic topology has {} processes on level {}, but numbers of children for {}",
                      level.size(), depth, levels[depth].size()));
    }
    std::vector<std::uint32_t> next;
    for (std::size_t i = 0; i < level.size(); ++i) {
      require_size("children", levels[depth][i], 0);
      for (std::size_t child = 0; child < levels[depth][i]; ++child) next.push_back(made.add(level[i]));
    }
    level = std::move(next);
  }
  made.finish();
  return made;
}

std::size_t Topology::depth() const noexcept {
  std::vector<std::size_t> depths(size());
  for (std::size_t i = 1; i < size(); ++i) depths[i] = depths[processes_[i].parent] + 1;
  return *std::ranges::max_element(depths);
}

std::size_t Topology::max_children() const noexcept {
  std::size_t most = 0;
  for (const TreeProcess& process : processes_) most = std::max(most, process.children.size());
  return most;
}

RankSet Topology::ranks_below(std::uint32_t process) const {
  const auto end_of = [&](auto child_of) {
    std::uint32_t at = process;
    while (!processes_.at(at).children.empty()) at = child_of(processes_[at].children);
    return processes_[at].rank;
  };
  return RankSet::of_range(end_of([](const auto& children) { return children.front(); }),
                           end_of([](const auto& children) { return children.back(); }));
}

void Topology::place(std::string_view front_end, std::span<const std::string> internals,
                     std::span<const std::string> back_ends) {
  if (back_ends.empty())
    throw ConfigurationError("a topology cannot be placed: no host is left for back-ends");
  const std::size_t count = by_rank_.size();
  std::size_t placed = 0;  // number of placed internal processes
  processes_[0].host = front_end;
  for (std::uint32_t i = 1; i < size(); ++i) {
    TreeProcess& process = processes_[i];
    const RankSet::Rank first = ranks_below(i).ranges().front().first;
    const std::string& near = back_ends[back_ends.size() * first / count];
    const bool apart = process.part == Part::internal && !internals.empty();
    process.host = apart ? internals[placed++ % internals.size()] : near;
  }
  std::map<std::string, std::uint32_t, std::less<>> used;
  for (TreeProcess& process : processes_) process.instance = used[process.host]++;
}

}  // namespace eventspace::streams
