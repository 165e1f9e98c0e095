#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include <eventspace/deadline.h>
#include <eventspace/operation.h>

namespace eventspace {

/// How long a remote stage waits for the reply to an operation, and how long its server may wait. Plain data.
struct AnswerWait {
  /// How long to wait for the reply to a cancelled operation; less if `grace` is less.
  static constexpr std::chrono::milliseconds grace_of_cancel{200};

  std::chrono::nanoseconds grace{};      ///< see RemoteTarget::answer_grace
  std::chrono::nanoseconds allowance{};  ///< see RemoteTarget::allowance

  /// The time that the server gets, for wire::OperateRequest::wait_us. Without a grace, a pull keeps some of
  /// its time for the way back.
  [[nodiscard]] std::int64_t of_server_us(const Operation& operation) const {
    if (operation.deadline.is_never()) return -1;
    if (operation.deadline.is_now()) return 0;
    const std::chrono::nanoseconds left = operation.deadline.left();
    const bool waits_for_late_reply = grace.count() > 0 || operation.verb != Verb::pull;
    const auto given = waits_for_late_reply ? left : left - margin(left);
    const auto us = std::chrono::duration_cast<std::chrono::microseconds>(given).count();
    return std::max<std::int64_t>(us, 1);  // 0 means not to wait at all
  }
  /// Until when the stage waits.
  [[nodiscard]] Deadline end(const Operation& operation) const {
    if (operation.deadline.is_never() || grace.count() == 0) return operation.deadline;
    return Deadline::after(operation.deadline.left() + grace);
  }
  /// Until when it waits if it cancels the operation now.
  [[nodiscard]] Deadline end_cancelled() const {
    return Deadline::after(std::min<std::chrono::nanoseconds>(grace, grace_of_cancel));
  }
  /// Until when it waits without a connection.
  [[nodiscard]] Deadline end_unconnected(const Operation& operation) const {
    if (allowance.count() == 0 || operation.deadline.is_never()) return Deadline::never();
    const std::chrono::nanoseconds left = operation.deadline.left();
    return left > allowance ? Deadline::after(left - allowance) : operation.deadline;
  }

 private:
  // The time for the way back: a tenth, and at least half a millisecond.
  static std::chrono::nanoseconds margin(std::chrono::nanoseconds left) {
    return std::min(left, std::max<std::chrono::nanoseconds>(left / 10, std::chrono::microseconds(500)));
  }
};

}  // namespace eventspace
