#include "scopes/streams/processes/internal_end_point.h"

#include <exception>
#include <vector>

#include <eventspace/packet.h>
#include <eventspace/stream_network.h>
#include <eventspace/topology.h>

namespace eventspace::streams {

bool LocalOutlet::push(Bytes body) {
  if (sent_ >= may_send_) return false;
  ++sent_;
  messages_.emplace_back(body.begin(), body.end());
  return true;
}

void LocalOutlet::grant(std::uint64_t total) {
  if (total <= other_->may_send_) return;
  other_->may_send_ = total;
  other_->granted_ = true;
}

std::optional<std::vector<std::byte>> LocalOutlet::take() {
  if (messages_.empty()) return std::nullopt;
  std::vector<std::byte> message = std::move(messages_.front());
  messages_.pop_front();
  return message;
}

InternalEndPoint::InternalEndPoint(StreamNode& node, RankSet::Rank rank, Run run)
    : node_(&node), rank_(rank), run_(std::move(run)) {
  LocalOutlet::pair(up_, down_);
}

void InternalEndPoint::join() {
  if (child_) return;
  own_.set_parent(&up_, {});
  child_ = node_->add_child(down_, RankSet::of_range(rank_, rank_));
}

bool InternalEndPoint::attend() {
  if (!child_) return false;
  bool has_news = false;
  // Each turn moves messages or answers packets. Credit limits their number, so the loop ends.
  while (true) {
    own_.sender().flush();
    const bool moved = carry();
    const bool answered = answer();
    has_news |= moved || answered;
    if (!moved && !answered) return has_news;
  }
}

bool InternalEndPoint::carry() {
  bool moved = false;
  while (const auto message = down_.take()) {
    own_.receive_from_parent(*message);
    moved = true;
  }
  while (const auto message = up_.take()) {
    node_->receive_from_child(*child_, *message);
    moved = true;
  }
  if (up_.was_granted()) own_.look_at(std::nullopt);
  if (down_.was_granted()) node_->look_at(child_);
  return moved;
}

// The answer keeps the wave of its question. An answer without room waits, and so do the questions after it.
bool InternalEndPoint::answer() {
  bool answered = false;
  while (true) {
    if (answered_ && own_.streams().has_stream(answered_->stream)) {
      if (!own_.streams().send(answered_->stream, answered_->packet, answered_->packet.wave)) return answered;
      answered = true;
    }
    answered_ = own_.streams().take(std::nullopt);
    if (!answered_) return answered;
    const std::uint64_t wave = answered_->packet.wave;
    answered_->packet = answer_to(answered_->packet);
    answered_->packet.wave = wave;
  }
}

Packet InternalEndPoint::answer_to(const Packet& packet) const {
  try {
    return run_(packet);
  } catch (const std::exception& error) {
    return Format<std::string_view>::make(command_failed, error.what());
  }
}

RankSet end_points_below(const Topology& topology, std::uint32_t process) {
  RankSet ranks = topology.ranks_below(process);
  std::vector<std::uint32_t> left = topology.at(process).children;
  while (!left.empty()) {
    const std::uint32_t below = left.back();
    left.pop_back();
    if (topology.at(below).part != Part::internal) continue;
    ranks = ranks | RankSet::of_range(rank_of_internal(below), rank_of_internal(below));
    left.insert(left.end(), topology.at(below).children.begin(), topology.at(below).children.end());
  }
  return ranks;
}

RankSet child_back_ends(const Topology& topology, std::uint32_t process) {
  RankSet ranks;
  for (const std::uint32_t child : topology.at(process).children) {
    if (topology.at(child).part == Part::back_end) ranks.add(topology.at(child).rank);
  }
  return ranks;
}

}  // namespace eventspace::streams
