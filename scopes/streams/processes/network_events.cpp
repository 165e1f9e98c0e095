#include "scopes/streams/processes/network_events.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>

#include <eventspace/stream_network.h>
#include <eventspace/streams.h>
#include <eventspace/topology.h>
#include "tuplespace/system/plain_text.h"

namespace eventspace::streams {

std::string name_of_this_machine() {
  std::array<char, 256> host{};
  (void)::gethostname(host.data(), host.size() - 1);
  return host.data();
}

RankSet numbers_of(const RankSet& ranks) {
  RankSet numbers;
  const RankSet internals = ranks & ranks_of_internals();
  for (const RankSet::Range range : internals.ranges())
    numbers.add(RankSet::Range{range.first - first_internal_rank, range.last - first_internal_rank});
  return numbers;
}

std::string_view to_string(EventKind kind) noexcept {
  switch (kind) {
    case EventKind::joined:
      return "joined";
    case EventKind::left:
      return "left";
    case EventKind::fault:
      return "fault";
    case EventKind::ended:
      return "ended";
    case EventKind::failed:
      return "failed";
    case EventKind::no_room:
      return "no room";
    case EventKind::dropped:
      return "dropped";
  }
  return "unknown";
}

void NetworkEvents::look() {
  while (auto event = node_->take_event()) {
    event->internals = numbers_of(event->ranks);
    event->ranks = event->ranks - ranks_of_internals();
    add(std::move(*event));
  }
  while (news_) {
    const auto received = node_->streams().take(news_);
    if (!received) break;
    hear(received->packet);
  }
  look_at_drops();
  hand_out();
}

void NetworkEvents::hear(const Packet& news) {
  try {
    notify_failure(escaped(PacketView(news).text(0)));
  } catch (const PacketError&) {
    notify_failure("an internal process sent a message that cannot be read");
  }
}

void NetworkEvents::notify_failure(const std::string& text) {
  if (failures_.size() < max_failures) failures_.push_back(text);
  add({EventKind::failed, {}, text, {}});
}

std::optional<Event> NetworkEvents::next() {
  look();
  if (waiting_.empty()) return std::nullopt;
  Event event = std::move(waiting_.front());
  waiting_.pop_front();
  return event;
}

void NetworkEvents::hand_to(std::function<void(const Event&)> handle) {
  handle_ = std::move(handle);
  look();
}

void NetworkEvents::notify_no_room(std::uint32_t stream) {
  add({EventKind::no_room, {}, fmt::format("stream {} has no room: a receiver is slower", stream), {}});
}

void NetworkEvents::add(Event event) {
  if (waiting_.size() < most) waiting_.push_back(std::move(event));
}

// Dropped packets are counted at once, but reported a few times a second.
void NetworkEvents::look_at_drops() {
  constexpr std::chrono::milliseconds between_looks{250};
  const auto now = std::chrono::steady_clock::now();
  if (now - looked_ < between_looks) return;
  looked_ = now;
  for (const StreamReport& stream : node_->streams().report()) {
    std::uint64_t& told = dropped_[stream.stream];
    if (stream.counters.dropped <= told) continue;
    add({EventKind::dropped,
         {},
         fmt::format("stream {} has dropped {} packets", stream.stream, stream.counters.dropped - told),
         {}});
    told = stream.counters.dropped;
  }
  std::erase_if(dropped_, [this](const auto& one) { return !node_->streams().has_stream(one.first); });
}

namespace {

class HandingOut {
 public:
  explicit HandingOut(bool& flag) noexcept : flag_(flag) { flag_ = true; }
  ~HandingOut() { flag_ = false; }
  HandingOut(const HandingOut&) = delete;
  HandingOut& operator=(const HandingOut&) = delete;

 private:
  bool& flag_;
};

}  // namespace

// The function may call the front-end, which calls this again: then the outer call continues with the rest.
void NetworkEvents::hand_out() {
  if (!handle_ || handing_out_) return;
  const HandingOut now(handing_out_);  // also ends when the function throws
  while (handle_ && !waiting_.empty()) {
    const Event event = std::move(waiting_.front());
    waiting_.pop_front();
    const auto handle = handle_;  // the function may replace it
    handle(event);
  }
}

}  // namespace eventspace::streams
