#pragma once

#include <cstdint>
#include <vector>

#include "monitors/whatif/simulation/agenda.h"
#include "monitors/whatif/simulation/messages.h"

namespace eventspace::whatif {

/// The network's work for a task.
struct NetworkShare {
  Picoseconds on_network{0};  ///< from when a packet is ready until it has arrived
  Picoseconds in_stack{0};    ///< TCP's work for its messages
  std::uint64_t collisions{0};
  std::uint64_t resent{0};  ///< frames that the medium dropped and that were sent again
};

/// Carries messages between stations. Belongs to a simulation, which implements Ends.
class Transport {
 public:
  class Ends {
   public:
    virtual ~Ends() = default;
    /// `bytes` more bytes of the message arrive at `at`, which may be later than now; `is_last`: the message
    /// is complete.
    virtual void arrived(std::uint32_t message, std::uint64_t bytes, bool is_last, Picoseconds at) = 0;
    /// The last byte of the message leaves its sender at `at`.
    virtual void left(std::uint32_t message, Picoseconds at) = 0;
    /// A receive whose bytes have arrived is complete at `at`.
    virtual void processed(std::uint32_t receive, Picoseconds at) = 0;
  };

  virtual ~Transport() = default;
  /// The least time for which a task is busy with handing over a message, or with a received message.
  [[nodiscard]] virtual Picoseconds send_cost() const noexcept = 0;
  [[nodiscard]] virtual Picoseconds receive_cost() const noexcept = 0;
  /// Whether a message of so many bytes waits for its receive.
  [[nodiscard]] virtual bool waits_for_receive(std::uint64_t bytes) const noexcept = 0;
  /// Time from the match of a waiting message with its receive until the message is handed over.
  [[nodiscard]] virtual Picoseconds handshake() const noexcept = 0;

  /// Hands over a message to another station, now. It may be the first message of a multicast.
  virtual void send(std::uint32_t message) = 0;
  /// All bytes of a receive have arrived from another station.
  virtual void process(std::uint32_t receive, Picoseconds at) = 0;
  /// The task has consumed a message from a task of another station.
  virtual void taken(std::uint32_t task, std::uint32_t from) = 0;

  [[nodiscard]] virtual const std::vector<NetworkShare>& shares() const noexcept = 0;  ///< by task
  [[nodiscard]] virtual std::uint64_t collisions() const noexcept = 0;
};

}  // namespace eventspace::whatif
