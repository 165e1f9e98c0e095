#pragma once

#include <cstdint>

#include "paths/links/link.h"
#include "paths/links/link_listener.h"
#include "paths/pushes.h"

namespace eventspace {

/// The messages that are not replies, between a remote stage and its target.
///
/// 1. Messages pass only while the target is open and has a receiver here.
/// 2. Credit belongs to one opening: when the target is closed or its connection is lost, it starts from zero
///    at both ends, and the receiver is notified.
/// 3. A grant that cannot be sent is sent with the next message or operation.
///
/// Used only by the thread of the link.
class RemotePushes final : public PushOutlet, private LinkListener {
 public:
  /// `link` must outlive it.
  explicit RemotePushes(Link& link) noexcept : link_(link) {}
  RemotePushes(const RemotePushes&) = delete;
  RemotePushes& operator=(const RemotePushes&) = delete;

  /// Sets the receiver of the target's messages, from the next opening of the target on. It must outlive the
  /// stage or be replaced. With null, messages are dropped and counted as late. The receiver is called while
  /// the links make progress.
  void receive_at(PushReceiver* receiver) noexcept { receiver_ = receiver; }

  /// The stage has opened the target, on this connection of the link.
  void open(std::uint64_t target, std::uint64_t connection);
  /// The stage closes the target, or has lost it. Does nothing if it is not open.
  void close();
  /// Sends the grant if it has grown since it was sent.
  void send_grant() {
    if (is_open_ && grant_sent_ != credit_.granted()) send_new_grant();
  }

  [[nodiscard]] bool push(Bytes body) override;
  [[nodiscard]] std::uint64_t may_send() const noexcept override { return credit_.may_send(); }
  [[nodiscard]] std::uint64_t sent() const noexcept override { return credit_.sent(); }
  void grant(std::uint64_t total) override;

 private:
  void send_new_grant();
  void forget_credit();
  bool on_push(Bytes body) override;
  void on_credit(std::uint64_t up_to) override;
  void on_loss() override;

  Link& link_;
  PushReceiver* receiver_{nullptr};
  std::uint64_t target_{0};
  std::uint64_t connection_{0};
  bool is_open_{false};
  PushCredit credit_;
  std::uint64_t grant_sent_{0};  // the part of credit_'s grant that was sent to the server
};

}  // namespace eventspace
