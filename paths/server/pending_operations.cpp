#include "paths/server/pending_operations.h"

#include <algorithm>
#include <chrono>

namespace eventspace {
namespace {

Deadline deadline_of(const wire::OperateRequest& request) {
  if (request.wait_us < 0) return Deadline::never();
  if (request.wait_us == 0) return Deadline::now();
  constexpr std::int64_t longest_us = std::int64_t{365} * 24 * 3600 * 1'000'000;
  return Deadline::after(std::chrono::microseconds(std::min(request.wait_us, longest_us)));
}

}  // namespace

void PendingOperation::fill(wire::OperateRequest asked, std::size_t most_message_bytes) {
  target = asked.target;
  match_ = std::move(asked.match);
  operation.verb = asked.verb;
  operation.from = asked.from;
  operation.sequence = asked.sequence;
  operation.deadline = deadline_of(asked);
  operation.most_bytes = wire::most_tuple_bytes(most_message_bytes);
  operation.tuple = std::move(asked.tuple);
  operation.match = match_ ? &*match_ : nullptr;
  operation.waker = this;
  if (asked.verb == Verb::pull) {
    pull_.emplace();
    pull_->id = asked.pull_id;
    pull_->after = asked.pull_after;
    pull_->with_threads = asked.with_threads;
    pull_->takes_blocks = true;
    pull_->look_back = asked.look_back;
    operation.pull = &*pull_;
  }
}

wire::Done PendingOperation::outcome() {
  wire::Done done{
      operation.status, operation.sequence, operation.missed, std::move(operation.reason), {}, {}};
  const bool fetched =
      operation.verb == Verb::read || operation.verb == Verb::take || operation.verb == Verb::exchange;
  if (fetched && operation.status == Status::ok) done.tuple = std::move(operation.tuple);
  if (pull_) done.view = std::move(pull_->view);
  return done;
}

Deadline PendingOperation::end() const noexcept {
  return operation.pull != nullptr ? operation.deadline : overdue;
}

PendingOperation& PendingOperations::add() {
  const std::uint64_t token = ++last_token_;
  Entry& entry = operations_[token];
  entry.operation = std::make_unique<PendingOperation>(*queue_, token);
  return *entry.operation;
}

PendingOperation* PendingOperations::find(std::uint64_t token) {
  const auto found = operations_.find(token);
  return found == operations_.end() ? nullptr : found->second.operation.get();
}

std::unique_ptr<PendingOperation> PendingOperations::remove(std::uint64_t token) {
  const auto found = operations_.find(token);
  if (found == operations_.end()) return nullptr;
  if (!found->second.due.is_never()) order_.erase({found->second.due.time(), token});
  std::unique_ptr<PendingOperation> removed = std::move(found->second.operation);
  operations_.erase(found);
  return removed;
}

void PendingOperations::reorder(const PendingOperation& pending) {
  Entry& entry = operations_.at(pending.token());
  const Deadline due = pending.due();
  if (due.time() == entry.due.time()) return;
  if (!entry.due.is_never()) order_.erase({entry.due.time(), pending.token()});
  entry.due = due;
  if (!due.is_never()) order_.emplace(due.time(), pending.token());
}

Deadline PendingOperations::next_due() const {
  return order_.empty() ? Deadline::never() : operations_.at(order_.begin()->second).due;
}

std::vector<std::uint64_t> PendingOperations::due() const {
  std::vector<std::uint64_t> tokens;
  if (order_.empty()) return tokens;
  const auto now = Deadline::Clock::now();
  for (const auto& [time, token] : order_) {
    if (time > now) break;
    tokens.push_back(token);
  }
  return tokens;
}

std::set<std::string> PendingOperations::peers() const {
  std::set<std::string> peers;
  for (const auto& [token, entry] : operations_) peers.insert(entry.operation->peer);
  return peers;
}

std::vector<std::uint64_t> PendingOperations::tokens_of(const std::string& peer) const {
  std::vector<std::uint64_t> tokens;
  for (const auto& [token, entry] : operations_) {
    if (entry.operation->peer == peer) tokens.push_back(token);
  }
  return tokens;
}

std::vector<std::uint64_t> PendingOperations::tokens() const {
  std::vector<std::uint64_t> tokens;
  tokens.reserve(operations_.size());
  for (const auto& [token, entry] : operations_) tokens.push_back(token);
  return tokens;
}

}  // namespace eventspace
