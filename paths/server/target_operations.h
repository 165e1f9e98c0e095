#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "paths/server/open_targets.h"
#include "paths/server/pending_operations.h"
#include "paths/server/replies.h"
#include "paths/server/reply_parts.h"

namespace eventspace {

/// Performs the operations of peers on their open targets: begins them, polls operations that were woken or
/// are due, ends operations whose time is up, and answers. There is at most one operation on each target. If
/// a stage throws, the operation is answered with the exception's text. Never blocks. Not thread-safe; the
/// constructor's arguments must outlive it.
class TargetOperations {
 public:
  struct Limits {
    std::size_t message_bytes;
    std::size_t queued_messages;
    std::chrono::nanoseconds answer_grace;
  };
  TargetOperations(OpenTargets& targets, WakeQueue& woken, Replies& replies, Limits limits)
      : targets_(&targets), replies_(&replies), limits_(limits), pending_(woken) {}

  /// Begins an operation on `target`, which must be without one under way; answers at once if it is ready.
  /// Refuses a verb that the target's kind does not accept, and a body that it cannot read.
  void begin(const Asked& asked, OpenTarget& target, const wire::OperateRequest& request, Bytes body);
  /// Finishes and answers the operation if it is ready. Does nothing if it has already ended.
  void ask(std::uint64_t token);
  /// Ends the operation as if its deadline had passed. Removes its target if that turns out to be lost.
  void end_now(std::uint64_t token);

  /// Ends the operation on `target` that is request `request` of its peer, like end_now; if the target is on
  /// the next server, once that has answered. Does nothing if it has already ended.
  void cancel(const OpenTarget& target, std::uint64_t request);

  /// Polls the operations that are due, and ends operations whose time is up.
  void attend_due();
  [[nodiscard]] Deadline next_due() const { return pending_.next_due(); }
  /// Whether no operation is under way.
  [[nodiscard]] bool is_idle() const noexcept { return pending_.size() == 0; }

  /// Closes the targets of peers that are gone, and forgets the peers. Their operations end, so that they do
  /// not take a tuple for which others wait; the peers that depend on a held target are notified.
  void release_gone_peers();
  /// Closes a target. If `why` is not empty, breaks off instead (Stage::break_off); the target stays open.
  void close(const std::string& peer, std::uint64_t target, std::string_view why);
  /// Ends all operations because the server ends: waiting operations end with Status::closed.
  void close();

 private:
  [[nodiscard]] bool accept(PendingOperation& pending, const OpenTarget& target,
                            const wire::OperateRequest& request, Bytes body);
  void finish(std::uint64_t token);
  static void fail(Operation& operation, const std::string& fault);
  void answer(PendingOperation& pending);
  void finish_lost(PendingOperation& pending);

  OpenTargets* targets_;
  Replies* replies_;
  Limits limits_;
  PendingOperations pending_;
  /// Operations whose finish threw. A stage below the faulty one may still hold the waker: they are kept
  /// until it is called.
  std::unordered_map<std::uint64_t, std::unique_ptr<PendingOperation>> abandoned_;
  bool closing_{false};
};

}  // namespace eventspace
