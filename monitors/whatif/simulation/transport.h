#pragma once

// Private to monitors/whatif/.

#include <cstdint>
#include <vector>

#include "monitors/whatif/simulation/agenda.h"
#include "monitors/whatif/simulation/messages.h"

namespace eventspace::whatif {

/// What a network has done for a task.
struct NetworkShare {
  Picoseconds on_network{0};  ///< from when a packet is to be sent until it is at its destination
  Picoseconds in_stack{0};    ///< TCP's work for its messages
  std::uint64_t collisions{0};
  std::uint64_t resent{0};  ///< frames that were given up by the medium, and sent again
};

/// What carries messages between stations. It belongs to a simulation, which implements Ends.
class Transport {
 public:
  class Ends {
   public:
    virtual ~Ends() = default;
    /// So many more bytes of the message are at its destination at `at`, which may be later than now;
    /// `is_last`: all of it.
    virtual void arrived(std::uint32_t message, std::uint64_t bytes, bool is_last, Picoseconds at) = 0;
    /// The last byte of the message leaves its sender at `at`.
    virtual void left(std::uint32_t message, Picoseconds at) = 0;
    /// A receive whose bytes have come is complete at `at`.
    virtual void processed(std::uint32_t receive, Picoseconds at) = 0;
  };

  virtual ~Transport() = default;
  /// How long a task is busy with handing over a message, and with one that it has received, at least.
  [[nodiscard]] virtual Picoseconds send_cost() const noexcept = 0;
  [[nodiscard]] virtual Picoseconds receive_cost() const noexcept = 0;
  /// Whether a message of so many bytes waits for its receive.
  [[nodiscard]] virtual bool waits_for_receive(std::uint64_t bytes) const noexcept = 0;
  /// From when a message that waits and its receive have met until the message is handed over.
  [[nodiscard]] virtual Picoseconds handshake() const noexcept = 0;

  /// A message to another station is handed over, now. It may be the first of a multicast.
  virtual void send(std::uint32_t message) = 0;
  /// All bytes of a receive, from another station, are there.
  virtual void process(std::uint32_t receive, Picoseconds at) = 0;
  /// The task has taken what it received from a task of another station.
  virtual void taken(std::uint32_t task, std::uint32_t from) = 0;

  [[nodiscard]] virtual const std::vector<NetworkShare>& shares() const noexcept = 0;  ///< by task
  [[nodiscard]] virtual std::uint64_t collisions() const noexcept = 0;
};

}  // namespace eventspace::whatif
