#include "scopes/scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "collectors/event_record.h"
#include "scopes/gathering/waited_call.h"

namespace eventspace {
namespace {

/// Whether whoever read up to this position saw that run begin, and the one before end.
bool is_followed(const ReadPosition& position, const View& view) {
  return std::any_of(view.processes.begin(), view.processes.end(), [&](const ProcessReport& report) {
    return report.process == position.process && report.pid == position.pid && report.followed;
  });
}

/// How many parts of the tree run on other servers and are asked from here.
std::size_t count_parts(const ScopeNode& node) {
  if (!node.endpoint.empty()) return 1;
  std::size_t count = 0;
  for (const ScopeNode& child : node.children) count += count_parts(child);
  return count;
}

}  // namespace

EventScope::EventScope(ScopeTree tree, const ScopeSurroundings& here)
    : tree_(std::move(tree)),
      here_(here),
      root_(build_scope(tree_, here_)),
      parts_(count_parts(tree_.root)) {}

EventScope::~EventScope() = default;
EventScope::EventScope(EventScope&& other) noexcept = default;

std::chrono::nanoseconds EventScope::timeout() const noexcept {
  return tree_.root.timeout.count() > 0 ? tree_.root.timeout : std::chrono::seconds(1);
}

View EventScope::pull(Options options) {
  Pull pull;
  pull.id = last_pull_ + 1;
  pull.after = last_pull_;
  pull.with_threads = options.with_threads;
  pull.look_back = look_back(options.at.value_or(std::chrono::steady_clock::now()));
  Operation operation;
  operation.verb = Verb::pull;
  operation.body = &pull;
  operation.deadline = options.deadline.value_or(Deadline::after(timeout()));
  perform(operation);
  last_pull_ = pull.id;
  if (tree_.next) {
    drop_repeated(pull.view);
    name_forgotten(pull.view);
    positions_.take(pull.view.positions);
  }
  if (coming_) change_over();
  return std::move(pull.view);
}

void EventScope::reconfigure(ScopeTree tree) {
  (void)build_scope(tree, here_);  // throws now what could be wrong then
  coming_ = std::move(tree);
}

void EventScope::change_over() {
  ScopeTree tree = std::move(*coming_);
  coming_.reset();
  if (tree_.next && tree.next) tree.resume = positions_.list();
  root_ = build_scope(tree, here_);
  tree.resume.clear();
  tree_ = std::move(tree);
  parts_ = count_parts(tree_.root);
  last_pull_ = 0;
}

// Whoever waits for one part of the tree must also go on with the others, which have to be opened first, say.
void EventScope::perform(Operation& operation) {
  if (parts_ < 2) return root_->call(operation);
  waited_call(*root_, operation, [this](Deadline until) { here_.links->wait(until); });
}

// All pulls look back to the same moment: who is asked for the first time later, or has forgotten that it was
// asked, begins there too.
std::chrono::nanoseconds EventScope::look_back(std::chrono::steady_clock::time_point now) {
  if (!first_pulled_) first_pulled_ = now;
  return tree_.since ? *tree_.since + (now - *first_pulled_) : std::chrono::nanoseconds::max();
}

// Of those that were yielded of the same run before: from a server that was told another place to go on than
// this scope has come to, or none.
void EventScope::drop_repeated(View& view) const {
  const ReadPositions now(view.positions);
  std::unordered_map<std::uint64_t, std::uint64_t> yielded;  // up to which number, by path and point
  view.loss.repeated += std::erase_if(view.records, [&](const TraceTuple& tuple) {
    const EventRecord record = decode(tuple);
    const auto [known, is_new] =
        yielded.try_emplace((static_cast<std::uint64_t>(record.path) << 16) | record.point, 0);
    if (is_new) known->second = yielded_before(record, now);
    return record.sequence <= known->second;
  });
}

std::uint64_t EventScope::yielded_before(const EventRecord& record, const ReadPositions& now) const {
  const auto source = here_.names->source_of(record.path, record.point);
  const ReadPosition* const before = source ? positions_.find(source->process, source->trace) : nullptr;
  if (before == nullptr) return 0;
  const ReadPosition* const after = now.find(source->process, source->trace);
  return after == nullptr || is_same_run(*before, *after) ? before->sequence : 0;
}

// Where a server forgot what was read, and the run that it was read of has left nothing, reading goes on with
// a later run. Nobody knows then how much of the one before was unread.
void EventScope::name_forgotten(View& view) const {
  std::map<std::pair<std::uint32_t, std::int32_t>, std::uint32_t> left;  // sources, by process and old run
  for (const ReadPosition& position : view.positions) {
    const ReadPosition* const before = positions_.find(position.process, position.trace);
    if (before == nullptr || before->pid == 0 || is_same_run(*before, position)) continue;
    if (!is_followed(position, view)) ++left[{position.process, before->pid}];
  }
  for (const auto& [run, sources] : left) {
    view.missing.push_back(
        {std::string(here_.names->node_of_process(run.first)),
         fmt::format("process {}", here_.names->process_name(run.first)), MissingCause::restarted,
         fmt::format("what was unread of its run as pid {} is lost: what was read of it was "
                     "forgotten meanwhile",
                     run.second),
         sources});
  }
}

}  // namespace eventspace
