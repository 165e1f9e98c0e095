#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "paths/pushes.h"
#include "paths/server/replies.h"

namespace eventspace {

/// The server's end of a target's messages that are not replies: sends them to the peer and keeps the
/// accounts of credit. Used only by the server's thread; `replies` must outlive it.
class TargetPushes final : public PushOutlet {
 public:
  TargetPushes(Replies& replies, std::string peer) noexcept : replies_(&replies), peer_(std::move(peer)) {}

  /// Sets the target's number and the receiver of the peer's messages (may be null). Called once, before any
  /// message is sent or received.
  void open(std::uint64_t target, PushReceiver* receiver) noexcept {
    target_ = target;
    receiver_ = receiver;
  }
  /// Passes a message of the peer to the receiver. Returns false if it exceeds the grant.
  [[nodiscard]] bool receive(Bytes body);
  /// Records a grant of the peer.
  void on_credit(std::uint64_t total);

  /// The first operation on the target begins, so the peer knows that it is open: from now on messages and
  /// grants go out. May be called again.
  void start();
  /// The time of the last sent message; the clock's epoch if none.
  using Clock = std::chrono::steady_clock;
  [[nodiscard]] Clock::time_point used() const noexcept { return used_; }

  [[nodiscard]] bool push(Bytes body) override;
  [[nodiscard]] std::uint64_t may_send() const noexcept override { return credit_.may_send(); }
  [[nodiscard]] std::uint64_t sent() const noexcept override { return credit_.sent(); }
  void grant(std::uint64_t total) override;

 private:
  Replies* replies_;
  std::string peer_;
  std::uint64_t target_{0};
  PushReceiver* receiver_{nullptr};
  void send_grant();

  PushCredit credit_;
  std::uint64_t grant_sent_{0};  // the part of credit_'s grant that was sent to the peer
  bool started_{false};
  Clock::time_point used_{};
};

/// Forwards the messages and grants of one target in a gateway, in both directions between the peer and the
/// next server. Does not queue messages: each side is granted as much as the other side has granted. A
/// message that cannot be forwarded, because a connection was lost, is dropped and counted as undeliverable.
class PushRelay {
 public:
  PushRelay(TargetPushes& peer, PushOutlet& next, Replies& replies) noexcept
      : from_peer_(peer, next, replies), from_next_(next, peer, replies) {}
  [[nodiscard]] PushReceiver& from_peer() noexcept { return from_peer_; }
  [[nodiscard]] PushReceiver& from_next() noexcept { return from_next_; }

 private:
  class Direction final : public PushReceiver {
   public:
    Direction(PushOutlet& from, PushOutlet& to, Replies& replies) noexcept
        : from_(&from), to_(&to), replies_(&replies) {}
    void receive(Bytes body) override;
    void granted() override { to_->grant(from_->may_send()); }

   private:
    PushOutlet* from_;
    PushOutlet* to_;
    Replies* replies_;
  };
  Direction from_peer_;
  Direction from_next_;
};

}  // namespace eventspace
