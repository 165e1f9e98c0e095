#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "monitors/whatif/networks/network.h"
#include "monitors/whatif/simulation/ethernet_medium.h"
#include "monitors/whatif/simulation/transport.h"

namespace eventspace::whatif {

/// Messages over a shared Ethernet, by the TCP of the stations (Zabel 1996, 4.2). The TCP of a station does
/// one job at a time, in order of arrival: sending a message in packets, completing a receive, or
/// acknowledging a receive. While it sends, it waits for the medium. A multicast is sent once.
///
/// Unlike in Zabel's simulation, a receive uses TCP only after its bytes have arrived. There, a waiting
/// receive occupies TCP, so two tasks of a station could block each other. Not thread-safe.
class EthernetTransport final : public Transport, public EthernetMedium::Client, public Actor {
 public:
  /// `stations`: by task. The arguments must outlive it.
  EthernetTransport(Agenda& agenda, const EthernetNetwork& network,
                    const std::vector<std::uint32_t>& stations, Pool<Message>& messages,
                    Pool<Receive>& receives, Random& random, Ends& ends);

  [[nodiscard]] Picoseconds send_cost() const noexcept override { return network_->hand_over; }
  [[nodiscard]] Picoseconds receive_cost() const noexcept override { return 0; }
  [[nodiscard]] bool waits_for_receive(std::uint64_t /*bytes*/) const noexcept override { return false; }
  [[nodiscard]] Picoseconds handshake() const noexcept override { return 0; }
  void send(std::uint32_t message) override;
  void process(std::uint32_t receive, Picoseconds at) override;
  void taken(std::uint32_t task, std::uint32_t from) override;
  [[nodiscard]] const std::vector<NetworkShare>& shares() const noexcept override { return shares_; }
  [[nodiscard]] std::uint64_t collisions() const noexcept override { return medium_.collisions(); }

  void frame_sent(std::uint32_t station, Picoseconds arrival) override;
  void frame_given_up(std::uint32_t station) override;
  void happen(std::uint32_t what, std::uint32_t which) override;

 private:
  enum What : std::uint32_t {
    job_begins,
    packet_is_ready,
    receive_is_complete,
    packet_arrives,
    is_sent_again
  };
  enum class Kind : std::uint8_t { send, receive, acknowledge };
  struct Job {
    Kind kind{Kind::send};
    std::uint32_t task{0};
    std::uint32_t number{0};  // of the message or the receive
    std::uint64_t bytes{0};   // still to be sent
    bool is_on_medium{false};
  };
  struct Station {
    std::deque<Job> jobs;  // the first is under way
    Picoseconds packet_ready{0};
  };
  // A packet between the end of its frame and its arrival.
  struct Packet {
    std::uint32_t message{nothing};
    std::uint64_t bytes{0};
    bool is_last{false};
  };

  void add(std::uint32_t task, const Job& job);
  void begin(std::uint32_t station);
  void send_packet(std::uint32_t station);
  void finish(std::uint32_t station);
  void deliver(const Packet& packet);
  [[nodiscard]] std::uint64_t data_of(const Job& job) const;

  Agenda* agenda_;
  const EthernetNetwork* network_;
  const std::vector<std::uint32_t>* stations_;
  Pool<Message>* messages_;
  Pool<Receive>* receives_;
  Ends* ends_;
  EthernetMedium medium_;
  std::vector<Station> station_;
  std::vector<NetworkShare> shares_;
  std::deque<Packet> on_the_way_;  // arrive in this order, as the delay is the same for all
};

}  // namespace eventspace::whatif
