#include "scopes/scope.h"

#include <algorithm>

#include "collectors/event_record.h"

namespace eventspace {

EventScope::EventScope(ScopeTree tree, const ScopeSurroundings& here)
    : tree_(std::move(tree)), root_(build_scope(tree_, here)) {}

EventScope::~EventScope() = default;
EventScope::EventScope(EventScope&& other) noexcept = default;

View EventScope::pull(Options options) {
  Pull pull;
  pull.id = last_pull_ + 1;
  pull.after = last_pull_;
  pull.with_threads = options.with_threads;
  Operation operation;
  operation.verb = Verb::pull;
  operation.pull = &pull;
  operation.deadline = options.deadline;
  root_->call(operation);
  last_pull_ = pull.id;
  if (tree_.next) drop_repeated(pull.view);
  return std::move(pull.view);
}

// A view may be sorted in any way: its records are compared with the views before, not with each other.
void EventScope::drop_repeated(View& view) {
  view.loss.repeated += std::erase_if(view.records, [this](const TraceTuple& tuple) {
    const EventRecord record = decode(tuple);
    Seen& seen = seen_[(static_cast<std::uint64_t>(record.path) << 16) | record.point];
    if (record.sequence <= seen.before.sequence && record.start <= seen.before.start) return true;
    seen.newest = std::max(seen.newest, Position{record.start, record.sequence});
    return false;
  });
  for (auto& [collector, seen] : seen_) seen.before = seen.newest;
}

}  // namespace eventspace
