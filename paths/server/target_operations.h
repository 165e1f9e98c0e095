#pragma once

// Private to paths/.

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "paths/server/open_targets.h"
#include "paths/server/pending_operations.h"
#include "paths/server/replies.h"
#include "paths/server/reply_parts.h"

namespace eventspace {

/// The operations that peers have under way on their open targets: begins them, asks again those that were
/// woken or are due, ends those whose time is up, and answers. One at a time on each target. Not thread-safe;
/// what it is made from must outlive it.
class TargetOperations {
 public:
  struct Limits {
    std::size_t message_bytes;
    std::size_t queued_messages;
    std::chrono::nanoseconds answer_grace;
  };
  TargetOperations(OpenTargets& targets, WakeQueue& woken, Replies& replies, Limits limits)
      : targets_(&targets), replies_(&replies), limits_(limits), pending_(woken) {}

  /// Begins what is asked of `target`, which is open and has nothing under way; answers at once if that is
  /// ready. Refuses a verb that the target's kind does not take, and a body that it cannot read.
  void begin(const Asked& asked, OpenTarget& target, const wire::OperateRequest& request, Bytes body);
  /// Asks whether the operation is ready, and if it is, ends it; nothing when it has ended already.
  void ask(std::uint64_t token);
  /// Ends the operation as if its time were up. A target that turns out to be lost is closed.
  void end_now(std::uint64_t token);

  /// Looks after those that are due.
  void attend_due();
  [[nodiscard]] Deadline next_due() const { return pending_.next_due(); }
  /// Whether none is under way.
  [[nodiscard]] bool is_idle() const noexcept { return pending_.size() == 0; }

  /// What a peer that is gone left under way must not take a tuple that others wait for.
  void release_gone_peers();
  /// The same for those whose targets are held: others who depend on them are told.
  void release_gone_holders();
  /// The peer closes a target; or breaks off what is done through it, if it says why.
  void close(const std::string& peer, std::uint64_t target, std::string_view why);
  /// From now on who waited is told that the server has ended. Ends all.
  void close();

 private:
  [[nodiscard]] bool accept(PendingOperation& pending, const OpenTarget& target,
                            const wire::OperateRequest& request, Bytes body);
  void finish(std::uint64_t token);
  void answer(PendingOperation& pending);
  void finish_lost(PendingOperation& pending);

  OpenTargets* targets_;
  Replies* replies_;
  Limits limits_;
  PendingOperations pending_;
  bool closing_{false};
};

}  // namespace eventspace
