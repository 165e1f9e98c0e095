#include "paths/remote/remote_pushes.h"

#include <utility>

#include "paths/wire/wire.h"

namespace eventspace {

void RemotePushes::open(std::uint64_t target, std::uint64_t connection) {
  if (receiver_ == nullptr) return;
  target_ = target;
  connection_ = connection;
  is_open_ = true;
  link_.listen(target_, this);
  send_grant();
}

void RemotePushes::close() {
  if (!std::exchange(is_open_, false)) return;
  link_.listen(target_, nullptr);
  forget_credit();
}

void RemotePushes::forget_credit() {
  credit_ = {};
  grant_sent_ = 0;
  if (receiver_ != nullptr) receiver_->ended();
}

bool RemotePushes::push(Bytes body) {
  send_grant();
  if (!is_open_ || !credit_.send()) return false;
  wire::Message message = wire::encode(wire::Kind::push, link_.next_id(), wire::Push{target_});
  message.insert(message.end(), body.begin(), body.end());
  wire::seal(message);
  const bool went = link_.send_now(message, connection_);
  if (!went) credit_.unsend();
  return went;
}

void RemotePushes::grant(std::uint64_t total) {
  if (credit_.grant(total)) send_grant();
}

void RemotePushes::send_new_grant() {
  const wire::Credit credit{target_, credit_.granted()};
  if (link_.send_now(wire::encode(wire::Kind::credit, link_.next_id(), credit), connection_))
    grant_sent_ = credit.up_to;
}

bool RemotePushes::on_push(Bytes body) {
  if (!credit_.receive()) return false;
  if (receiver_ != nullptr) receiver_->receive(body);
  return true;
}

void RemotePushes::on_credit(std::uint64_t up_to) {
  if (credit_.hear(up_to) && receiver_ != nullptr) receiver_->granted();
}

void RemotePushes::on_loss() {
  is_open_ = false;
  forget_credit();
}

}  // namespace eventspace
