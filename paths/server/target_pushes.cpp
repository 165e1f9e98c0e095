#include "paths/server/target_pushes.h"

#include <utility>

#include "paths/wire/wire.h"

namespace eventspace {

bool TargetPushes::receive(Bytes body) {
  if (receiver_ == nullptr || !credit_.receive()) return false;
  receiver_->receive(body);
  return true;
}

void TargetPushes::hear_credit(std::uint64_t total) {
  if (credit_.hear(total) && receiver_ != nullptr) receiver_->granted();
}

bool TargetPushes::push(Bytes body) {
  if (!credit_.send()) return false;
  wire::Message message = wire::encode(wire::Kind::pushed, credit_.sent(), wire::Push{target_});
  message.insert(message.end(), body.begin(), body.end());
  wire::seal(message);
  const bool went = replies_->send_unasked(peer_, std::move(message));
  if (!went) credit_.unsend();
  return went;
}

void TargetPushes::grant(std::uint64_t total) {
  if (!credit_.grant(total)) return;
  replies_->send(peer_, wire::encode(wire::Kind::credited, total, wire::Credit{target_, total}));
}

void PushRelay::Direction::receive(Bytes body) {
  if (!to_->push(body)) replies_->count_undeliverable();
}

}  // namespace eventspace
