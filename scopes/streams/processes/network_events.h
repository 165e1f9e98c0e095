#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <eventspace/streams.h>
#include "scopes/streams/node.h"

namespace eventspace::streams {

/// The name of the machine of this process.
[[nodiscard]] std::string name_of_this_machine();
/// The numbers of the internal processes among these ranks.
[[nodiscard]] RankSet numbers_of(const RankSet& ranks);

/// The events of a network for the user of the front-end: events of its node, and those that the front-end
/// itself detects. They are queued, or passed to a function. Used by one thread.
class NetworkEvents {
 public:
  static constexpr std::size_t most = StreamNode::max_events;

  /// `node` must outlive this object.
  explicit NetworkEvents(StreamNode& node) noexcept : node_(&node) {}

  /// Collects new events. Cheap if there are none.
  void look();
  [[nodiscard]] std::optional<Event> next();
  void hand_to(std::function<void(const Event&)> handle);

  /// Packets of this stream are failures that internal processes report unasked, as texts.
  void listen_to(std::uint32_t stream) noexcept { news_ = stream; }
  [[nodiscard]] std::optional<std::uint32_t> news() const noexcept { return news_; }
  void hear(const Packet& news);
  /// A process of the network could not be started, or has failed.
  void notify_failure(const std::string& text);
  /// The first failures of the network, up to `max_failures`.
  [[nodiscard]] const std::vector<std::string>& failures() const noexcept { return failures_; }
  static constexpr std::size_t max_failures = 100;

  /// A sender waits for room in a stream.
  void notify_no_room(std::uint32_t stream);
  void add(Event event);

 private:
  void look_at_drops();
  void hand_out();

  StreamNode* node_;
  std::deque<Event> waiting_;
  std::function<void(const Event&)> handle_;
  bool handing_out_{false};
  std::optional<std::uint32_t> news_;
  std::vector<std::string> failures_;
  std::map<std::uint32_t, std::uint64_t> dropped_;  // last reported, by stream
  std::chrono::steady_clock::time_point looked_{};
};

}  // namespace eventspace::streams
