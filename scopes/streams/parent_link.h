#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include <eventspace/stream_filter.h>
#include <eventspace/streams.h>
#include <eventspace/topology.h>
#include "scopes/streams/node_link.h"

namespace eventspace::streams {

/// The link to the process above, and what a process reports there: events and faults. A front-end has no
/// process above it, so its events are queued for the user. Other processes queue only the end of the
/// network.
///
/// At most max_events are queued; others are dropped. Not thread-safe.
class ParentLink {
 public:
  static constexpr std::size_t max_events = 4096;

  /// `process`: the number of the process itself in the topology, if it has children and is in the topology.
  explicit ParentLink(Part part, std::optional<std::uint32_t> process = std::nullopt)
      : part_(part), process_(process) {}

  [[nodiscard]] Part part() const noexcept { return part_; }
  /// The place of filters of this process.
  [[nodiscard]] FilterPlace place() const {
    return {.is_root = part_ == Part::front_end, .process = process_};
  }
  [[nodiscard]] NodeLink& link() noexcept { return link_; }

  /// Queues a frame for the process above, if there is one.
  void post(const Frame& frame);
  /// Without a parent, `joined` and `left` are not queued: a new parent gets all present end-points.
  void report_event(EventKind kind, const RankSet& ranks, const std::string& text);
  /// A stream has lost a wave.
  void report_fault(std::uint32_t stream, std::uint64_t wave, const std::string& reason);
  [[nodiscard]] std::optional<Event> take_event();
  /// An error of this process, with its number before it.
  [[nodiscard]] std::string own(const std::string& reason) const;

 private:
  Part part_;
  std::optional<std::uint32_t> process_;
  NodeLink link_;
  std::deque<Event> events_;
};

}  // namespace eventspace::streams
