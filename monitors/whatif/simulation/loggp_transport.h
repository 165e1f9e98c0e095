#pragma once

#include <cstdint>
#include <vector>

#include "monitors/whatif/networks/network.h"
#include "monitors/whatif/simulation/transport.h"

namespace eventspace::whatif {

/// Messages over a LogGP network. Each station has one way into the network and one way out; in between,
/// messages do not delay each other. Not thread-safe.
class LogGpTransport final : public Transport, public Actor {
 public:
  /// `stations`: by task. The arguments must outlive it.
  LogGpTransport(Agenda& agenda, const LogGpNetwork& network, const std::vector<std::uint32_t>& stations,
                 Pool<Message>& messages, Ends& ends);

  [[nodiscard]] Picoseconds send_cost() const noexcept override { return network_->send_overhead; }
  [[nodiscard]] Picoseconds receive_cost() const noexcept override { return network_->receive_overhead; }
  [[nodiscard]] bool waits_for_receive(std::uint64_t bytes) const noexcept override {
    return network_->rendezvous && bytes > *network_->rendezvous;
  }
  [[nodiscard]] Picoseconds handshake() const noexcept override { return 2 * network_->latency; }
  void send(std::uint32_t message) override;
  void process(std::uint32_t receive, Picoseconds at) override { ends_->processed(receive, at); }
  void taken(std::uint32_t /*task*/, std::uint32_t /*from*/) override {}
  [[nodiscard]] const std::vector<NetworkShare>& shares() const noexcept override { return shares_; }
  [[nodiscard]] std::uint64_t collisions() const noexcept override { return 0; }

  void happen(std::uint32_t what, std::uint32_t which) override;

 private:
  void send_one(std::uint32_t message);
  void accept(std::uint32_t message);
  [[nodiscard]] Picoseconds transfer(std::uint64_t bytes) const;

  Agenda* agenda_;
  const LogGpNetwork* network_;
  const std::vector<std::uint32_t>* stations_;
  Pool<Message>* messages_;
  Ends* ends_;
  bool is_infinite_;
  std::vector<Picoseconds> way_in_;   // by station: until when it is used
  std::vector<Picoseconds> way_out_;  // the same
  std::vector<NetworkShare> shares_;
  std::vector<Picoseconds> handed_;  // by message: when
};

}  // namespace eventspace::whatif
