#include <eventspace/streams.h>

#include <fmt/format.h>

#include <optional>
#include <utility>

#include <eventspace/error.h>
#include "paths/sockets/loop_descriptor.h"
#include "scopes/streams/attaching/network_keys.h"
#include "scopes/streams/processes/ancestry.h"
#include "scopes/streams/processes/node_host.h"
#include "scopes/streams/processes/packet_handlers.h"

namespace eventspace::streams {

class BackEnd::State final : private Waker {
 public:
  State(const AttachPoint& point, Deadline deadline, std::shared_ptr<const SessionSecurity> security)
      : network({}, WhenLost::end, NodeClock(), {},
                security || point.keys.empty() ? std::move(security) : security_of_file(point.keys)),
        links(network),
        node(Part::back_end),
        handlers(node,
                 [this](std::uint32_t stream, std::uint64_t wave, const std::string& why) {
                   node.streams().report_handler_fault(stream, wave, why);
                 }),
        parent(node, links, point, {Part::back_end}, [] {}) {
    parent.begin(this, deadline);
    serve_until(deadline, [this] { return node.is_welcome(); });
    if (!parent.fault().empty() || !node.is_welcome()) {
      throw EnvironmentError(fmt::format("cannot attach to the network {} at {}: {}", point.network,
                                         point.endpoint,
                                         parent.fault().empty() ? "no answer in time" : parent.fault()));
    }
  }

  /// Makes progress until `holds` is true, the deadline or the end; returns whether it is true.
  template <class Holds>
  bool serve_until(Deadline deadline, Holds holds) {
    while (!holds()) {
      parent.look();
      node.sender().flush();
      if (has_ended()) return false;
      const bool last = deadline.passed();
      links.wait(last ? Deadline::now() : earlier(deadline, next_look()));
      if (handlers.hand_out()) node.sender().flush();
      if (last) return holds();
    }
    return true;
  }
  [[nodiscard]] Deadline next_look() const {
    return earlier(earlier(parent.due(), node.sender().due()), Deadline::after(longest_wait));
  }
  /// To be called at the end of each function of the interface.
  void show() {
    if (outside) links.show_to(*outside, node.streams().has_packets() ? Deadline::now() : next_look());
  }
  bool send(std::uint32_t stream, const Packet& packet, std::optional<std::uint64_t> answers,
            Deadline deadline) {
    const bool sent = serve_until(deadline, [&] {
      return !node.streams().has_stream(stream) || node.streams().send(stream, packet, answers);
    });
    node.sender().flush_after_send(stream);
    show();
    return sent && node.streams().has_stream(stream);
  }
  [[nodiscard]] bool has_ended() const noexcept { return !parent.fault().empty(); }

  // The wait for messages ends by itself; a waker makes it wait for replies, too.
  void wake() noexcept override {}

  // The last message may not have been sent, as the connection's queue was full.
  static constexpr std::chrono::milliseconds longest_wait{100};

  Network network;
  LinkPool links;
  StreamNode node;
  PacketHandlers handlers;
  std::optional<LoopDescriptor> outside;  // if descriptor() was called
  Ancestry parent;
};

BackEnd::BackEnd(const AttachPoint& point, Deadline deadline, std::shared_ptr<const SessionSecurity> security)
    : state_(std::make_unique<State>(point, deadline, std::move(security))) {}
BackEnd::~BackEnd() = default;

RankSet::Rank BackEnd::rank() const { return state_->node.ranks().at(0).value_or(0); }
bool BackEnd::has_ended() const noexcept { return state_->has_ended(); }

std::optional<Received> BackEnd::receive(Deadline deadline) {
  std::optional<Received> received;
  state_->serve_until(deadline, [&] {
    received = state_->node.streams().take(std::nullopt);
    return received.has_value();
  });
  if (received) state_->node.sender().flush_after_take();
  state_->show();
  return received;
}

std::optional<Packet> BackEnd::receive(std::uint32_t stream, Deadline deadline) {
  std::optional<Received> received;
  state_->serve_until(deadline, [&] {
    received = state_->node.streams().take(stream);
    return received.has_value();
  });
  if (received) state_->node.sender().flush_after_take();
  state_->show();
  if (!received) return std::nullopt;
  return std::move(received->packet);
}

void BackEnd::on_packet(std::function<void(const Received& received)> handle) {
  state_->handlers.set(std::nullopt, std::move(handle));
}

void BackEnd::on_packet(std::uint32_t stream, std::function<void(const Received& received)> handle) {
  state_->handlers.set(stream, std::move(handle));
}

int BackEnd::descriptor() {
  if (!state_->outside) state_->outside.emplace();
  state_->show();
  return state_->outside->get();
}

bool BackEnd::send(std::uint32_t stream, const Packet& packet, Deadline deadline) {
  return state_->send(stream, packet, std::nullopt, deadline);
}

bool BackEnd::answer(const Received& received, const Packet& packet, Deadline deadline) {
  return state_->send(received.stream, packet, received.packet.wave, deadline);
}

bool BackEnd::wait_for(std::uint32_t stream, Deadline deadline) {
  const bool is_open =
      state_->serve_until(deadline, [&] { return state_->node.streams().has_stream(stream); });
  state_->show();
  return is_open;
}

void BackEnd::serve(Deadline deadline) {
  state_->serve_until(deadline, [] { return false; });
  state_->show();
}

StreamCounters BackEnd::counters(std::uint32_t stream) const {
  return state_->node.streams().counters(stream);
}

}  // namespace eventspace::streams
