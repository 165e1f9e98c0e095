#include "scopes/scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "collectors/event_record.h"
#include "scopes/gathering/waited_call.h"

namespace eventspace {
namespace {

/// Whether the reader had read the run before the one at `position` to its end.
bool is_followed(const ReadPosition& position, const View& view) {
  return std::any_of(view.processes.begin(), view.processes.end(), [&](const ProcessReport& report) {
    return report.process == position.process && report.pid == position.pid && report.followed;
  });
}

/// Returns the number of parts of the tree that run on servers and are pulled directly from here.
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
  pull.with_usage = options.with_usage;
  pull.with_in_flight = options.with_in_flight;
  pull.look_back = look_back(options.at.value_or(std::chrono::steady_clock::now()));
  Operation operation;
  operation.verb = Verb::pull;
  operation.body = &pull;
  operation.deadline = options.deadline.value_or(Deadline::after(timeout()));
  perform(operation);
  last_pull_ = pull.id;
  here_.names->learn(pull.view.names);
  if (tree_.next) {
    drop_repeated(pull.view);
    name_forgotten(pull.view);
    positions_.take(pull.view.positions);
  }
  (void)pull.view.records.whole();  // the caller may read from several threads
  if (coming_) change_over();
  return std::move(pull.view);
}

void EventScope::reconfigure(ScopeTree tree) {
  tree.session = tree_.session;    // a tree of the plan does not have one, and servers refuse it
  (void)build_scope(tree, here_);  // throws if change_over() would
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
  last_pull_ = 0;  // the first pull through the new tree confirms no view
}

// With several parts, a thread that waited inside the stage of one could not serve the links of the others,
// which may still have to be opened. waited_call waits for all links at once, and a subscription polls while
// it waits.
void EventScope::perform(Operation& operation) {
  if (parts_ < 2 && tree_.look.count() == 0) return root_->call(operation);
  waited_call(*root_, operation, [this](Deadline until) { here_.links->wait(until); });
}

// All pulls look back to the same moment, so a server that is first pulled later, or that has lost its read
// positions, begins there too.
std::chrono::nanoseconds EventScope::look_back(std::chrono::steady_clock::time_point now) {
  if (!first_pulled_) first_pulled_ = now;
  return tree_.since ? *tree_.since + (now - *first_pulled_) : std::chrono::nanoseconds::max();
}

// Whether an earlier pull may have returned one of the records. Usually it has not; then each trace element,
// whose records come together, costs only one lookup of its position.
bool EventScope::may_repeat(const View& view) const {
  std::optional<std::pair<std::uint32_t, std::uint16_t>> last;
  std::uint64_t yielded = 0;  // the last returned event of that trace element
  return std::ranges::any_of(view.records, [&](const TraceTuple& tuple) {
    const RecordHeader record = header_of(tuple);
    if (const std::pair of{record.path, record.point}; last != of) {
      last = of;
      const auto source = here_.names->source_of(record.path, record.point);
      const ReadPosition* const before = source ? positions_.find(source->process, source->trace) : nullptr;
      yielded = before == nullptr ? 0 : before->sequence;
    }
    return record.sequence <= yielded;
  });
}

// Drops the records that an earlier pull returned. A server sends them again if its read position, of the
// same run, is older than the scope's, or if it is missing.
void EventScope::drop_repeated(View& view) const {
  if (!may_repeat(view)) return;
  const ReadPositions now(view.positions);
  std::unordered_map<std::uint64_t, std::uint64_t> yielded;  // newest sequence number, by path and point
  view.loss.repeated += erase_if(view.records, [&](const TraceTuple& tuple) {
    const RecordHeader record = header_of(tuple);
    const auto [known, is_new] =
        yielded.try_emplace((static_cast<std::uint64_t>(record.path) << 16) | record.point, 0);
    if (is_new) known->second = yielded_before(record, now);
    return record.sequence <= known->second;
  });
}

std::uint64_t EventScope::yielded_before(const RecordHeader& record, const ReadPositions& now) const {
  const auto source = here_.names->source_of(record.path, record.point);
  const ReadPosition* const before = source ? positions_.find(source->process, source->trace) : nullptr;
  if (before == nullptr) return 0;
  const ReadPosition* const after = now.find(source->process, source->trace);
  return after == nullptr || is_same_run(*before, *after) ? before->sequence : 0;
}

// If a server lost its read positions, and the segments of their run are gone, the server continues with a
// later run. The number of unread events in the old run is then unknown.
void EventScope::name_forgotten(View& view) const {
  std::map<std::pair<std::uint32_t, std::int32_t>, std::uint32_t>
      left;  // number of sources, by process and old run
  for (const ReadPosition& position : view.positions) {
    const ReadPosition* const before = positions_.find(position.process, position.trace);
    if (before == nullptr || before->pid == 0 || is_same_run(*before, position)) continue;
    if (!is_followed(position, view)) ++left[{position.process, before->pid}];
  }
  for (const auto& [run, sources] : left) {
    view.missing.push_back(
        {std::string(here_.names->node_of_process(run.first)),
         fmt::format("process {}", here_.names->process_name(run.first)), MissingCause::restarted,
         fmt::format("the unread events of its run as pid {} are lost: a server lost its read positions, and "
                     "no segment of that run is left",
                     run.second),
         sources});
  }
}

}  // namespace eventspace
