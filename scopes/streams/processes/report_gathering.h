#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include <eventspace/stream_network.h>
#include "scopes/streams/node.h"

namespace eventspace::streams {

/// Gathers the reports of all internal processes through the tree itself: opens a stream to them for one
/// question; the answers are concatenated on the way. A process that does not answer delays the others by the
/// time-out and is named. Only in the front-end; not thread-safe.
class ReportGathering {
 public:
  static constexpr std::chrono::milliseconds time_out{1000};

  /// `node` must outlive this object.
  explicit ReportGathering(StreamNode& node) noexcept : node_(&node) {}

  /// Begins, unless it is in progress or the network is without internal processes.
  void begin();
  [[nodiscard]] bool is_under_way() const noexcept { return stream_.has_value(); }
  /// The stream of the question; its packets are not for the user.
  [[nodiscard]] std::optional<std::uint32_t> stream() const noexcept { return stream_; }
  /// Takes the answer, if it has arrived. Returns whether gathering is complete.
  bool look();
  void take_in(const Packet& packet);

  /// The latest result.
  [[nodiscard]] const std::vector<ProcessReport>& processes() const noexcept { return processes_; }

 private:
  StreamNode* node_;
  std::optional<std::uint32_t> stream_;
  std::vector<ProcessReport> processes_;
};

}  // namespace eventspace::streams
