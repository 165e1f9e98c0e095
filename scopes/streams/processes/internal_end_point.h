#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <eventspace/streams.h>
#include <eventspace/topology.h>
#include "paths/pushes.h"
#include "scopes/streams/node.h"

namespace eventspace::streams {

/// One direction of a link between two nodes of one thread. Messages are queued until they are carried over.
class LocalOutlet final : public PushOutlet {
 public:
  LocalOutlet() = default;
  LocalOutlet(const LocalOutlet&) = delete;
  LocalOutlet& operator=(const LocalOutlet&) = delete;
  /// Makes the two objects the directions of one link. To be called first.
  static void pair(LocalOutlet& one, LocalOutlet& other) noexcept {
    one.other_ = &other;
    other.other_ = &one;
  }

  [[nodiscard]] bool push(Bytes body) override;
  [[nodiscard]] std::uint64_t may_send() const noexcept override { return may_send_; }
  [[nodiscard]] std::uint64_t sent() const noexcept override { return sent_; }
  void grant(std::uint64_t total) override;
  /// The oldest queued message.
  [[nodiscard]] std::optional<std::vector<std::byte>> take();
  /// Whether may_send() has increased since the last call.
  [[nodiscard]] bool was_granted() noexcept { return std::exchange(granted_, false); }

 private:
  LocalOutlet* other_{nullptr};
  std::uint64_t may_send_{0};
  std::uint64_t sent_{0};
  bool granted_{false};
  std::deque<std::vector<std::byte>> messages_;
};

/// The end-point of an internal process itself, which runs commands: a back-end without a connection, which
/// runs in the loop of the process. It has the limits of any link. Used by that thread.
class InternalEndPoint {
 public:
  /// Answers a packet; may throw.
  using Run = std::function<Packet(const Packet& packet)>;
  /// `node` is the node of the process and must outlive this object.
  InternalEndPoint(StreamNode& node, RankSet::Rank rank, Run run);
  InternalEndPoint(const InternalEndPoint&) = delete;
  InternalEndPoint& operator=(const InternalEndPoint&) = delete;

  /// Becomes a child of the node.
  void join();
  /// Carries messages over in both directions, runs commands, and sends their answers. Returns whether the
  /// node has received a message, and should be flushed.
  bool attend();
  /// Sends a packet unasked. Returns false if there is no room, or the stream does not exist.
  [[nodiscard]] bool send(std::uint32_t stream, const Packet& packet) {
    return own_.streams().send(stream, packet);
  }
  [[nodiscard]] bool has_stream(std::uint32_t stream) const { return own_.streams().has_stream(stream); }

 private:
  bool carry();
  bool answer();
  [[nodiscard]] Packet answer_to(const Packet& packet) const;

  StreamNode* node_;
  RankSet::Rank rank_;
  Run run_;
  StreamNode own_{Part::back_end};
  LocalOutlet up_;
  LocalOutlet down_;
  std::optional<Child> child_;
  std::optional<Received> answered_;  // an answer that had no room: its stream, and the wave that it answers
};

/// The ranks of all end-points below a process: back-ends and internal processes.
[[nodiscard]] RankSet end_points_below(const Topology& topology, std::uint32_t process);
/// The ranks of the back-ends that are children of a process.
[[nodiscard]] RankSet child_back_ends(const Topology& topology, std::uint32_t process);

}  // namespace eventspace::streams
