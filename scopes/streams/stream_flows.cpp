#include "scopes/streams/stream_flows.h"

#include <algorithm>
#include <utility>

namespace eventspace::streams {

bool StreamFlows::add_child(Child child, ChildLink& link) {
  return branches_.try_emplace(child, Branch{&link.link, link.is_process, false, Flow(window_)}).second;
}

StreamFlows::Branch* StreamFlows::find_child(Child child) {
  const auto found = branches_.find(child);
  return found == branches_.end() ? nullptr : &found->second;
}

void StreamFlows::post_to_children(const Frame& frame) {
  for (auto& [child, branch] : branches_) branch.link->post(frame);
}

void StreamFlows::add_up(Packet packet) {
  parent_->link().mark();
  if (parent_->part() == Part::front_end) {
    if (!packet.lost && !packet.ends) deliver(std::move(packet));
    return;
  }
  count_dropped(up_.add(std::move(packet), when_full_));
}

std::vector<Child> StreamFlows::add_down(Packet packet, const EndPointsBelow& below) {
  std::vector<Child> slow;
  if (parent_->part() == Part::back_end) {
    deliver(std::move(packet));
    return slow;
  }
  std::uint64_t dropped = 0;
  for (auto& [child, branch] : branches_) {
    if (branch.is_slow) continue;
    if (!packet.ranks.empty() && (packet.ranks & below.of(child)).empty()) continue;
    if (branch.flow.is_full() && when_full_ == WhenFull::disconnect) {
      branch.is_slow = true;
      slow.push_back(child);
    }
    dropped += branch.flow.add(packet, when_full_);
    sent_down_ += {1, packet.bytes()};
    branch.link->mark();
  }
  count_dropped(dropped);
  return slow;
}

void StreamFlows::mark_children() {
  for (auto& [child, branch] : branches_) branch.link->mark();
}

void StreamFlows::deliver(Packet packet) {
  if (when_full_ == WhenFull::drop_oldest)
    return count_dropped(for_user_.replace_oldest(std::move(packet), window_));
  if (when_full_ != WhenFull::wait && for_user_.load().fills(window_)) return count_dropped(1);
  for_user_.add(std::move(packet));
}

Load StreamFlows::held_up() const {
  return parent_->part() == Part::front_end ? for_user_.load() : up_.waiting();
}

Load StreamFlows::held_down() const {
  if (parent_->part() == Part::back_end) return for_user_.load();
  Load most;
  for (const auto& [child, branch] : branches_) {
    most.packets = std::max(most.packets, branch.flow.waiting().packets);
    most.bytes = std::max(most.bytes, branch.flow.waiting().bytes);
  }
  return most;
}

void StreamFlows::grant_parent() {
  // The usual case, which avoids a loop over all children.
  if (parent_->part() == Part::front_end || !up_.grants({})) return;
  const Load held = when_full_ == WhenFull::wait ? held_down() : Load{};
  if (const auto total = up_.grant(held)) parent_->post(credit_frame(stream_, *total));
}

void StreamFlows::count_dropped(std::uint64_t packets) noexcept {
  dropped_ += packets;
  unreported_ += packets;
}

void StreamFlows::report_dropped() {
  if (parent_->part() == Part::front_end || !parent_->link().is_connected() || unreported_ == 0) return;
  parent_->post({.kind = FrameKind::dropped, .stream = stream_, .number = std::exchange(unreported_, 0)});
}

}  // namespace eventspace::streams
