#include "paths/server/target_pushes.h"

#include <utility>

#include "paths/wire/wire.h"

namespace eventspace {

void TargetPushes::start() {
  started_ = true;
  send_grant();
}

bool TargetPushes::receive(Bytes body) {
  if (receiver_ == nullptr || !credit_.receive()) return false;
  receiver_->receive(body);
  send_grant();
  return true;
}

void TargetPushes::on_credit(std::uint64_t total) {
  if (credit_.hear(total) && receiver_ != nullptr) receiver_->granted();
  send_grant();
}

bool TargetPushes::push(Bytes body) {
  send_grant();
  if (!started_ || !credit_.send()) return false;
  wire::Message message = wire::encode(wire::Kind::pushed, credit_.sent(), wire::Push{target_});
  message.insert(message.end(), body.begin(), body.end());
  wire::seal(message);
  const bool went = replies_->send_unasked(peer_, std::move(message));
  if (went) {
    used_ = Clock::now();
  } else {
    credit_.unsend();
  }
  return went;
}

void TargetPushes::grant(std::uint64_t total) {
  if (credit_.grant(total)) send_grant();
}

// A grant that the peer's full queue does not accept is sent again with the next message.
void TargetPushes::send_grant() {
  const std::uint64_t total = credit_.granted();
  if (!started_ || grant_sent_ == total) return;
  if (replies_->send_unasked(peer_, wire::encode(wire::Kind::credited, total, wire::Credit{target_, total})))
    grant_sent_ = total;
}

void PushRelay::Direction::receive(Bytes body) {
  if (!to_->push(body)) replies_->count_undeliverable();
}

}  // namespace eventspace
