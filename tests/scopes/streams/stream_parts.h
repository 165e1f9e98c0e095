#pragma once

#include <cstdint>
#include <vector>

#include <eventspace/packet.h>
#include "paths/pushes.h"
#include "scopes/streams/stream_table.h"

// What a stream of one process is made of, for tests of its parts. There are no other processes: frames stay
// in the queues of the links.

namespace eventspace::streams::test {

using Number = Format<std::int64_t>;

/// The other end of a link, which keeps all messages.
class KeptOutlet final : public PushOutlet {
 public:
  bool push(Bytes body) override {
    if (is_stuck) return false;
    messages.emplace_back(body.begin(), body.end());
    return true;
  }
  std::uint64_t may_send() const noexcept override { return credit; }
  std::uint64_t sent() const noexcept override { return messages.size(); }
  void grant(std::uint64_t total) override { granted = total; }

  bool is_stuck{false};
  std::uint64_t credit{1000};
  std::uint64_t granted{0};
  std::vector<std::vector<std::byte>> messages{};
};

/// The control frames that are queued for a link.
inline std::vector<Frame> queued(const NodeLink& link) {
  if (link.control().empty()) return {};
  return read_frames(link.control()).value();
}

/// The kinds of these frames.
inline std::vector<FrameKind> kinds(const std::vector<Frame>& frames) {
  std::vector<FrameKind> kinds;
  for (const Frame& frame : frames) kinds.push_back(frame.kind);
  return kinds;
}

/// The links of a process, all connected to nothing.
struct Process : NodeLinks {
  explicit Process(Part part) : NodeLinks{ParentLink(part)} { parent.link().connect(above); }

  /// A child with these end-points.
  Child add(const RankSet& ranks, bool is_process = false) {
    const Child child = children.add(outlet, {}, is_process);
    below.add(child, std::nullopt);
    (void)below.join(child, ranks);
    return child;
  }
  /// A packet with a number, as an answer to a wave.
  static Packet packet(std::uint64_t wave, std::int64_t number = 0, std::uint32_t generation = 0) {
    Packet made = Number::make(0, number);
    made.wave = wave;
    made.generation = generation;
    return made;
  }
  StreamPlace place() { return {parent, below, turns}; }

  KeptOutlet above;
  KeptOutlet outlet;
  UserTurns turns;
};

}  // namespace eventspace::streams::test
