#pragma once

// Operations that a server's loop has begun and that are not complete.

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <eventspace/operation.h>
#include "paths/bodies/target_kind.h"
#include "paths/server/reply_parts.h"
#include "paths/sockets/wake_queue.h"

namespace eventspace {

/// An operation under way on an open target. As a waker it pushes its token to the loop's queue, from any
/// thread.
class PendingOperation final : public Waker {
 public:
  PendingOperation(WakeQueue& queue, std::uint64_t token) noexcept : queue_(&queue), token_(token) {}
  PendingOperation(const PendingOperation&) = delete;
  PendingOperation& operator=(const PendingOperation&) = delete;
  void wake() noexcept override { queue_->push(token_); }

  [[nodiscard]] std::uint64_t token() const noexcept { return token_; }
  /// The time at which the loop ends it, ready or not.
  [[nodiscard]] Deadline end() const noexcept;
  /// The time at which the loop polls it again, even without a call of wake().
  [[nodiscard]] Deadline due() const noexcept { return earlier(end(), operation.look_again); }

  std::string peer;
  std::uint64_t request{0};
  std::optional<std::uint64_t> received_ns;  ///< as in Asked
  std::uint64_t target{0};
  Operation operation;
  std::optional<ReplyParts> parts;          ///< used by `served`
  std::unique_ptr<ServedOperation> served;  ///< owns the objects that the operation points to
  Deadline overdue{Deadline::never()};      ///< end() of verbs except pull, which ends at its deadline
  std::optional<std::string> fault;         ///< the text of the exception that a stage threw

 private:
  WakeQueue* queue_;
  std::uint64_t token_;
};

/// The pending operations of one server, by token and in the order in which they are due. Not thread-safe;
/// the operations' wake() is.
class PendingOperations {
 public:
  explicit PendingOperations(WakeQueue& queue) noexcept : queue_(&queue) {}

  /// Adds an operation with a token that was never used before.
  PendingOperation& add();
  /// Returns null if the operation does not exist.
  PendingOperation* find(std::uint64_t token);
  /// Returns null if the operation does not exist.
  std::unique_ptr<PendingOperation> remove(std::uint64_t token);

  /// Must be called whenever `pending.due()` may have changed: after each begin and ready.
  void reorder(const PendingOperation& pending);
  /// When the first operation is due.
  [[nodiscard]] Deadline next_due() const;
  /// The tokens of the operations that are due, in that order. Takes time proportional to their number.
  [[nodiscard]] std::vector<std::uint64_t> due() const;

  [[nodiscard]] std::set<std::string> peers() const;
  [[nodiscard]] std::vector<std::uint64_t> tokens_of(const std::string& peer) const;
  [[nodiscard]] std::vector<std::uint64_t> tokens() const;
  [[nodiscard]] std::size_t size() const noexcept { return operations_.size(); }

 private:
  struct Entry {
    std::unique_ptr<PendingOperation> operation;
    Deadline due{Deadline::never()};  // its key in order_
  };
  using Place = std::pair<Deadline::Clock::time_point, std::uint64_t>;

  WakeQueue* queue_;
  std::uint64_t last_token_{0};
  std::unordered_map<std::uint64_t, Entry> operations_;
  std::set<Place> order_;  // without operations that are never due
};

}  // namespace eventspace
