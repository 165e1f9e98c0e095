#pragma once

#include <cstdint>

#include "tuplespace/tuple.h"

/// Messages that answer nothing, between the two ends of an open target: results that are pushed, streams,
/// events. Each end grants the other how many it will take, as a total since the target was opened, so a
/// grant that is repeated or late changes nothing. A message beyond the grant is refused and counted where it
/// arrives. A gateway passes messages and grants on and never queues any.
namespace eventspace {

/// The way to the other end of a target. Belongs to the thread of that end's server or links. Never waits.
class PushOutlet {
 public:
  /// Sends a message of its own. False, and nothing is sent: there is no credit, the message is larger than
  /// `limits: message` allows, or the other end is gone.
  [[nodiscard]] virtual bool push(Bytes body) = 0;
  /// How many messages may have been sent in all.
  [[nodiscard]] virtual std::uint64_t may_send() const noexcept = 0;
  [[nodiscard]] virtual std::uint64_t sent() const noexcept = 0;
  /// Lets the other end have sent `total` messages in all; a smaller total than before changes nothing.
  virtual void grant(std::uint64_t total) = 0;

 protected:
  ~PushOutlet() = default;
};

/// What the end of a target does with messages from the other end. Called by the thread of that end's server
/// or links, not from within PushOutlet.
class PushReceiver {
 public:
  /// One message, each once and in the order sent. `body` is valid during the call.
  virtual void receive(Bytes body) = 0;
  /// The other end has granted more: see PushOutlet::may_send.
  virtual void granted() {}
  /// No message comes or goes any more: the target was closed or the connection was lost.
  virtual void ended() {}

 protected:
  ~PushReceiver() = default;
};

/// What one end has sent and received, and may. Pure.
class PushCredit {
 public:
  /// Counts one message that is sent; false: there is no credit.
  bool send() noexcept { return sent_ < may_send_ && ++sent_ != 0; }
  void unsend() noexcept { --sent_; }
  /// Counts one that was received; false: the other end had no credit.
  bool receive() noexcept { return received_ < granted_ && ++received_ != 0; }
  /// The other end's grant; whether that is more than before.
  bool hear(std::uint64_t total) noexcept {
    if (total <= may_send_) return false;
    may_send_ = total;
    return true;
  }
  /// A grant to the other end; whether that is more than before.
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
