#include "monitors/watching/wait_graph.h"

#include <algorithm>

namespace eventspace {

std::size_t WaitGraph::add() {
  awaited_.emplace_back();
  waiting_.emplace_back();
  needs_any_.push_back(false);
  return awaited_.size() - 1;
}

std::size_t WaitGraph::add_needing_any() {
  const std::size_t node = add();
  needs_any_[node] = true;
  return node;
}

void WaitGraph::add_wait(std::size_t waiting, std::size_t awaited) {
  awaited_[waiting].push_back(awaited);
  waiting_[awaited].push_back(waiting);
}

std::vector<bool> WaitGraph::reached(const Edges& edges, std::vector<std::size_t> to_visit) {
  std::vector<bool> is_reached(edges.size());
  for (const std::size_t node : to_visit) is_reached[node] = true;
  while (!to_visit.empty()) {
    const std::size_t here = to_visit.back();
    to_visit.pop_back();
    for (const std::size_t next : edges[here]) {
      if (is_reached[next]) continue;
      is_reached[next] = true;
      to_visit.push_back(next);
    }
  }
  return is_reached;
}

std::vector<std::size_t> WaitGraph::all_waiting_for(std::size_t node) const {
  return all_waiting_for(std::vector{node});
}

std::vector<std::size_t> WaitGraph::all_waiting_for(const std::vector<std::size_t>& nodes) const {
  const std::vector<bool> is_waiting = reached(waiting_, nodes);
  std::vector<std::size_t> all;
  for (std::size_t one = 0; one < size(); ++one) {
    if (is_waiting[one]) all.push_back(one);
  }
  return all;
}

// The nodes in a circle, and those that wait for one. All other nodes end once the nodes that they wait for,
// or any of these if one is enough, have ended (Kahn's algorithm). This limits the search for circles to the
// remaining nodes.
std::vector<bool> WaitGraph::never_end() const {
  std::vector<bool> never(size(), true);
  std::vector<std::size_t> left(size());  // how many further nodes each one needs to end
  std::vector<std::size_t> ended;
  for (std::size_t one = 0; one < size(); ++one) {
    left[one] = needs_any_[one] ? std::min<std::size_t>(awaited_[one].size(), 1) : awaited_[one].size();
    if (left[one] == 0) ended.push_back(one);
  }
  while (!ended.empty()) {
    const std::size_t here = ended.back();
    ended.pop_back();
    never[here] = false;
    for (const std::size_t waiting : waiting_[here]) {
      if (left[waiting] > 0 && --left[waiting] == 0) ended.push_back(waiting);
    }
  }
  return never;
}

std::vector<std::vector<std::size_t>> WaitGraph::circles() const {
  std::vector<bool> is_left = never_end();
  std::vector<std::vector<std::size_t>> found;
  for (std::size_t one = 0; one < size(); ++one) {
    if (!is_left[one] || waiting_[one].empty()) continue;  // a node that is not awaited is not in a circle
    const std::vector<bool> awaited = reached(awaited_, {one});
    const std::vector<bool> waiting = reached(waiting_, {one});
    std::vector<std::size_t> circle;
    for (std::size_t other = one; other < size(); ++other) {
      if (!is_left[other] || !awaited[other] || !waiting[other]) continue;
      circle.push_back(other);
      is_left[other] = false;
    }
    if (circle.size() > 1) found.push_back(std::move(circle));
  }
  return found;
}

}  // namespace eventspace
