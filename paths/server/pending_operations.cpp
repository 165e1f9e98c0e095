#include "paths/server/pending_operations.h"

#include <algorithm>

namespace eventspace {

Deadline PendingOperation::end() const noexcept {
  return operation.verb == Verb::pull ? operation.deadline : overdue;
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
