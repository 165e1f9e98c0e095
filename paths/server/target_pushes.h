#pragma once

// Private to paths/.

#include <cstdint>
#include <string>

#include "paths/pushes.h"
#include "paths/server/replies.h"

namespace eventspace {

/// The server's end of one target's messages that answer nothing: the way to the peer, with its credit.
/// Belongs to the server's thread; `replies` must outlive it.
class TargetPushes final : public PushOutlet {
 public:
  TargetPushes(Replies& replies, std::string peer) noexcept : replies_(&replies), peer_(std::move(peer)) {}

  /// Before anything is sent or received: the target's number, and what takes the peer's messages (null:
  /// nothing).
  void open(std::uint64_t target, PushReceiver* receiver) noexcept {
    target_ = target;
    receiver_ = receiver;
  }
  /// A message of the peer's. False: it was not granted.
  [[nodiscard]] bool receive(Bytes body);
  /// The peer's grant.
  void hear_credit(std::uint64_t total);

  [[nodiscard]] bool push(Bytes body) override;
  [[nodiscard]] std::uint64_t may_send() const noexcept override { return credit_.may_send(); }
  [[nodiscard]] std::uint64_t sent() const noexcept override { return credit_.sent(); }
  void grant(std::uint64_t total) override;

 private:
  Replies* replies_;
  std::string peer_;
  std::uint64_t target_{0};
  PushReceiver* receiver_{nullptr};
  PushCredit credit_;
};

/// Passes messages and grants of one target on, in both directions, between the peer that asked a gateway and
/// the next server. Queues nothing: neither side is granted more than the other has granted. What cannot be
/// handed on, as a connection was lost, is counted as undeliverable.
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
