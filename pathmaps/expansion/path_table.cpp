#include "pathmaps/expansion/path_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "pathmaps/reading/names.h"

namespace eventspace::expansion {

namespace {

bool check_room(std::size_t count, const Place& place, std::string_view what, Faults& faults) {
  if (count < max_paths) return true;
  faults.add(place, fmt::format("too large: more than {} {}", max_paths, what));
  return false;
}

}  // namespace

bool PathTable::add_element(const Word& name, ElementConfig config) {
  if (!check_name(name, reading::NameKind::element, draft_.faults)) return false;
  if (!check_room(draft_.elements.size(), name.place, "elements", draft_.faults)) return false;
  if (!draft_.elements.add(name, draft_.faults)) return false;
  config.name = name.text;
  draft_.add_element({.name = name.text, .kind = TupleElement{std::move(config)}});
  return true;
}

bool PathTable::add_path(const Word& name, ThreadIndex thread, const Word& element, PathUse use,
                         const std::vector<StagePlan>& stages) {
  const auto number = draft_.elements.require(element, draft_.faults);
  if (!number) return false;
  PathPlan path;
  path.thread = thread;
  path.element = *number;
  path.use = use;
  path.stages = stages;
  return add_row(name, std::move(path));
}

bool PathTable::add_path(const Word& name, ThreadIndex thread, ElementIndex joint) {
  PathPlan path;
  path.thread = thread;
  path.element = joint;
  return add_row(name, std::move(path));
}

bool PathTable::add_row(const Word& name, PathPlan path) {
  if (!check_name(name, reading::NameKind::path, draft_.faults)) return false;
  if (!check_room(rows_.size(), name.place, "paths", draft_.faults)) return false;
  path.name = name.text;
  rows_.push_back({std::move(path), name.place});
  return true;
}

void PathTable::finish() {
  std::ranges::stable_sort(rows_, {}, [](const Row& row) { return row.path.thread; });
  report_duplicates();
  for (auto& row : rows_) {
    draft_.plan.paths.push_back(std::move(row.path));
    draft_.path_places.push_back(row.place);
  }
  rows_.clear();
  index();
  set_peers();
}

void PathTable::report_duplicates() const {
  std::unordered_map<std::string, const Row*> seen;
  ThreadIndex thread;
  for (const auto& row : rows_) {
    if (row.path.thread != thread) seen.clear();
    thread = row.path.thread;
    const auto [first, added] = seen.emplace(row.path.name, &row);
    if (added) continue;
    draft_.faults.add(row.place, fmt::format("duplicate path '{}' of thread '{}'; first given in {}",
                                             row.path.name, draft_.threads.name(thread),
                                             draft_.faults.describe(first->second->place, row.place)));
  }
}

void PathTable::index() {
  draft_.thread_paths.assign(draft_.threads.size(), {});
  draft_.users.assign(draft_.plan.elements.size(), {});
  for (const PathIndex number : draft_.plan.paths.indices()) {
    const auto& path = draft_.plan.paths[number];
    auto& range = draft_.thread_paths[path.thread];
    range = {range.empty() ? number : *range.begin(), number.next()};
    draft_.users[path.element].push_back(number);
  }
}

void PathTable::set_peers() {
  auto& paths = draft_.plan.paths;
  for (const ElementIndex element : draft_.users.indices()) {
    const auto& users = draft_.users[element];
    if (users.empty() || !draft_.plan.elements[element].is_element()) continue;
    // Users are sorted by thread, so if there are exactly two threads, the first and the last user are
    // theirs.
    const auto first = paths[users.front()].thread;
    const auto last = paths[users.back()].thread;
    const bool two = first != last && std::ranges::all_of(users, [&](PathIndex user) {
                       return paths[user].thread == first || paths[user].thread == last;
                     });
    if (!two) continue;
    for (const auto user : users) paths[user].peer = paths[user].thread == first ? last : first;
  }
}

}  // namespace eventspace::expansion
