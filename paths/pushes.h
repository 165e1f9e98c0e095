#pragma once

#include <cstdint>

#include <eventspace/tuple.h>

/// Messages between the two ends of an open target that are not replies: pushed results, streams, events.
/// Each end grants the other a number of messages, as a total since the target was opened, so that a repeated
/// or late grant is harmless. The receiving end refuses and counts a message that exceeds its grant. A
/// gateway forwards messages and grants and never queues messages.
namespace eventspace {

/// Sends to the other end of a target. Used only by the thread of its server or links. Never blocks.
class PushOutlet {
 public:
  /// Sends one message. Returns false and sends nothing if there is no credit, the message is larger than
  /// `limits: message` allows, the other end is gone, or the message cannot be sent at once. Nothing is
  /// queued here: the caller keeps the message or drops it.
  [[nodiscard]] virtual bool push(Bytes body) = 0;
  /// The other end's grant: how many messages it accepts in total.
  [[nodiscard]] virtual std::uint64_t may_send() const noexcept = 0;
  [[nodiscard]] virtual std::uint64_t sent() const noexcept = 0;  ///< messages sent so far
  /// Grants the other end `total` messages in all. A total that is not larger than before is ignored. A grant
  /// that cannot be sent at once, because the target is not open yet, is sent with the next message or
  /// operation.
  virtual void grant(std::uint64_t total) = 0;

 protected:
  ~PushOutlet() = default;
};

/// Receives the messages of the other end of a target. Called by the thread of the receiver's server or
/// links, never from within a call of PushOutlet.
class PushReceiver {
 public:
  /// Called once for each message, in the order sent. `body` is valid during the call.
  virtual void receive(Bytes body) = 0;
  /// Called when the other end has granted more messages (PushOutlet::may_send).
  virtual void granted() {}
  /// Called when the target was closed or its connection was lost. No message is received or sent after it.
  /// If a server behind a gateway is lost, or a lease ends, the requesting end notices only with its next
  /// operation.
  virtual void ended() {}

 protected:
  ~PushReceiver() = default;
};

/// The accounts of one end: messages sent and received, and the grants for both. Does no I/O; not
/// thread-safe.
class PushCredit {
 public:
  /// Counts a message to send. Returns false, and counts nothing, if there is no credit.
  bool send() noexcept { return sent_ < may_send_ && ++sent_ != 0; }
  /// Takes back a send() whose message could not be sent.
  void unsend() noexcept { --sent_; }
  /// Counts a received message. Returns false, and counts nothing, if the other end had no credit.
  bool receive() noexcept { return received_ < granted_ && ++received_ != 0; }
  /// Records the other end's grant. Returns whether it is larger than before.
  bool hear(std::uint64_t total) noexcept {
    if (total <= may_send_) return false;
    may_send_ = total;
    return true;
  }
  /// Records a grant to the other end. Returns whether it is larger than before.
  bool grant(std::uint64_t total) noexcept {
    if (total <= granted_) return false;
    granted_ = total;
    return true;
  }
  [[nodiscard]] std::uint64_t may_send() const noexcept { return may_send_; }
  [[nodiscard]] std::uint64_t sent() const noexcept { return sent_; }
  [[nodiscard]] std::uint64_t granted() const noexcept { return granted_; }

 private:
  std::uint64_t may_send_{0};
  std::uint64_t sent_{0};
  std::uint64_t granted_{0};
  std::uint64_t received_{0};
};

}  // namespace eventspace
