#include "monitors/drawing/scope_figures.h"

#include <fmt/format.h>

#include <algorithm>

#include "pathmaps/plan/match.h"
#include "pathmaps/plan/plan_names.h"

namespace eventspace {
namespace {

using std::chrono::nanoseconds;

std::string process_name(const Plan& plan, std::uint32_t number) {
  const std::optional<Host> host = host_of_number(plan, number);
  if (!host) return "?";
  return match(
      *host, [&](const ProcessIndex& process) { return plan.processes[process].name; },
      [&](const NodeIndex& node) { return name_of_node_server(plan, node); });
}

std::string reason(const Missing& missing) {
  return missing.detail.empty() ? std::string(to_string(missing.cause)) : missing.detail;
}

}  // namespace

ScopeFigures::ScopeFigures(const Plan& plan, const ScopeTree& tree) { learn(plan, tree.root, tree, ""); }

bool ScopeFigures::begins_part(const ScopeNode& node, const ScopeTree& tree) noexcept {
  return &node == &tree.root || !node.endpoint.empty();
}

void ScopeFigures::learn(const Plan& plan, const ScopeNode& node, const ScopeTree& tree,
                         const std::string& part_around) {
  const std::string& part = begins_part(node, tree) ? node.name : part_around;
  parts_.try_emplace(part);
  if (!node.endpoint.empty()) parts_about_["server of node " + node.node].insert(part);
  for (const SourceRef& source : node.sources)
    parts_about_["process " + process_name(plan, source.process)].insert(part);
  for (const ScopeNode& child : node.children) learn(plan, child, tree, part);
}

void ScopeFigures::add(const View& view, nanoseconds elapsed) {
  ++pulls_;
  sum_ += elapsed;
  longest_ = std::max(longest_, elapsed);
  loss_ += view.loss;
  sources_read_ += view.sources_read;
  for (const LevelTime& level : view.levels) {
    Part& part = parts_[level.name];
    ++part.answered;
    part.sum += level.elapsed;
    part.longest = std::max(part.longest, level.elapsed);
    part.records += level.records;
    part.aggregates += level.aggregates;
  }
  std::set<std::string> missed;  // counts a part once in a pull, even if several of its sources are missing
  for (const Missing& missing : view.missing) miss(missing, missed);
  for (const std::string& part : missed) ++parts_[part].missed;
}

void ScopeFigures::miss(const Missing& missing, std::set<std::string>& missed) {
  missing_[missing.what] = reason(missing);
  const auto about = parts_about_.find(missing.what);
  if (about == parts_about_.end()) return;
  for (const std::string& part : about->second) {
    parts_[part].why = fmt::format("{}: {}", missing.what, reason(missing));
    missed.insert(part);
  }
}

void ScopeFigures::finish(nanoseconds elapsed, const Link::Counts& traffic) {
  elapsed_ = elapsed;
  traffic_ = traffic;
}

const ScopeFigures::Part& ScopeFigures::of(const ScopeNode& node) const { return parts_.at(node.name); }

nanoseconds ScopeFigures::mean_pull() const noexcept {
  return pulls_ == 0 ? nanoseconds{} : sum_ / static_cast<std::int64_t>(pulls_);
}

std::vector<std::string> ScopeFigures::missing() const {
  std::vector<std::string> texts;
  for (const auto& [what, why] : missing_) texts.push_back(fmt::format("{} ({})", what, why));
  return texts;
}

}  // namespace eventspace
