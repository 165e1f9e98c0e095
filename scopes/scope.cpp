#include "scopes/scope.h"

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

void EventScope::drop_repeated(View& view) {
  view.loss.repeated += std::erase_if(view.records, [this](const TraceTuple& tuple) {
    const EventRecord record = decode(tuple);
    Position& last = positions_[(static_cast<std::uint64_t>(record.path) << 16) | record.point];
    if (record.sequence <= last.sequence && record.start <= last.start) return true;
    last = {record.sequence, record.start};
    return false;
  });
}

}  // namespace eventspace
