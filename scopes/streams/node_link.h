#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "paths/pushes.h"
#include "scopes/streams/frame.h"

namespace eventspace::streams {

/// One link of a process, to a child or to its parent: its queue of control frames, and the credit of the
/// link itself, which counts messages. Queued packets are in the flows of their streams (stream_flows.h).
///
/// A link is marked when there may be messages to send on it, so that flushing skips other links.
///
/// Invariant: a connected link whose queue is not empty is marked, or waits for the other end's credit, whose
/// arrival marks it. Not thread-safe.
class NodeLink {
 public:
  static constexpr std::uint64_t window = 64;  ///< messages on the way

  NodeLink() = default;
  /// `any_marked` is set when the link is marked. It must outlive the link.
  explicit NodeLink(bool& any_marked) noexcept : any_marked_(&any_marked) {}
  NodeLink(const NodeLink&) = delete;
  NodeLink& operator=(const NodeLink&) = delete;

  /// The other end is new. Frames for the previous one are dropped. `outlet` is valid until lose(), or until
  /// the link is destroyed.
  void connect(PushOutlet& outlet);
  /// The connection is lost.
  void lose() noexcept;
  [[nodiscard]] bool is_connected() const noexcept { return outlet_ != nullptr; }

  /// Queues a frame that is not a packet. It is sent before packets.
  void post(const Frame& frame);
  [[nodiscard]] const std::vector<std::byte>& control() const noexcept { return control_; }
  void mark() noexcept;
  [[nodiscard]] bool take_mark() noexcept { return std::exchange(is_marked_, false); }

  [[nodiscard]] bool may_send() const noexcept {
    return outlet_ != nullptr && outlet_->sent() < outlet_->may_send();
  }
  /// Sends a message, which begins with control(). Returns false if the queue of the connection is full; the
  /// link is then marked, so that the message is retried later.
  [[nodiscard]] bool push(Bytes message);
  /// Counts a received message, and grants the other end more.
  void count_message();

 private:
  PushOutlet* outlet_{nullptr};  // null: the peer is gone
  std::vector<std::byte> control_;
  std::uint64_t heard_{0};  // messages received
  bool is_marked_{false};
  bool* any_marked_{nullptr};
};

}  // namespace eventspace::streams
