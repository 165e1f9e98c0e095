#pragma once

// Private to monitors/whatif/.

#include <cstdint>
#include <vector>

#include "monitors/whatif/networks/network.h"
#include "monitors/whatif/simulation/agenda.h"
#include "monitors/whatif/simulation/random.h"

namespace eventspace::whatif {

/// The cable of a shared Ethernet: carrier sense, collisions, back-off (IEEE 802.3, CSMA/CD). A signal needs
/// the same delay to each other station. Who begins to send before the signal of another one has come
/// collides with it:
///
///     t0          first station begins
///     t0 + delay  all stations sense the carrier; those that began before take part in the collision
///     success     the frame ends at t0 + its bits; stations may send after the gap
///     collision   ends when the last one has sensed it and has jammed; each waits for a random number of
///                 slots
///
/// Not thread-safe.
class EthernetMedium final : public Actor {
 public:
  class Client {
   public:
    virtual ~Client() = default;
    /// The frame of the station is over; it is everywhere at `arrival`. May request the next one.
    virtual void frame_sent(std::uint32_t station, Picoseconds arrival) = 0;
    /// It has collided as often as is allowed, and was not sent.
    virtual void frame_given_up(std::uint32_t station) = 0;
  };

  /// The arguments must outlive it.
  EthernetMedium(Agenda& agenda, const EthernetNetwork& network, Random& random, Client& client);

  /// The station has a frame with a packet of so many bytes. It has no other one.
  void request(std::uint32_t station, std::uint64_t packet_bytes);
  void happen(std::uint32_t what, std::uint32_t which) override;

  [[nodiscard]] std::uint64_t collisions() const noexcept { return collisions_; }
  [[nodiscard]] std::uint64_t frames() const noexcept { return frames_; }
  [[nodiscard]] std::uint64_t given_up() const noexcept { return given_up_; }
  /// In how many collisions the frame was that the station sends now, or has just sent.
  [[nodiscard]] std::uint32_t collisions_of_frame(std::uint32_t station) const;
  [[nodiscard]] Picoseconds frame_time(std::uint64_t packet_bytes) const;

 private:
  enum class Phase : std::uint8_t { idle, beginning, busy };
  enum What : std::uint32_t { begins, is_sensed, is_over, slot_begins };
  struct Contender {
    std::uint32_t station{0};
    std::uint32_t collisions{0};
    Picoseconds duration{0};
    Picoseconds earliest{0};
  };

  [[nodiscard]] Picoseconds bits(double count) const;
  [[nodiscard]] Picoseconds attempt(const Contender& contender) const;
  void contend();
  void begin(std::uint32_t generation);
  void sense();
  void slot();
  void succeed(std::size_t place);
  void collide(Picoseconds last);
  void end();

  Agenda* agenda_;
  const EthernetNetwork* network_;
  Random* random_;
  Client* client_;
  Picoseconds slot_, gap_, jam_, delay_;
  Phase phase_{Phase::idle};
  Picoseconds idle_since_;
  Picoseconds began_{0};
  std::uint32_t generation_{0};  // of the events that are to be heeded
  std::vector<Contender> contenders_;
  std::vector<bool> sends_;                      // of the contenders, in the collision that is being resolved
  std::vector<std::uint32_t> frame_collisions_;  // by station
  std::uint32_t sender_{0};                      // place of the one that succeeds
  bool succeeds_{false};
  bool awaits_slot_{false};  // of ideal back-off
  std::uint64_t collisions_{0};
  std::uint64_t frames_{0};
  std::uint64_t given_up_{0};
};

}  // namespace eventspace::whatif
