#pragma once

#include <cstdint>
#include <vector>

#include "monitors/whatif/networks/network.h"
#include "monitors/whatif/simulation/agenda.h"
#include "monitors/whatif/simulation/random.h"

namespace eventspace::whatif {

/// The cable of a shared Ethernet: carrier sense, collisions, back-off (IEEE 802.3, CSMA/CD). A signal has
/// the same delay to all other stations. A station that begins to send before it senses another station's
/// signal collides with it:
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
    /// The frame of the station has ended; it reaches all stations at `arrival`. The client may request the
    /// next frame.
    virtual void frame_sent(std::uint32_t station, Picoseconds arrival) = 0;
    /// The frame has collided as often as allowed, and was not sent.
    virtual void frame_given_up(std::uint32_t station) = 0;
  };

  /// The arguments must outlive it.
  EthernetMedium(Agenda& agenda, const EthernetNetwork& network, Random& random, Client& client);

  /// The station has a frame with a packet of so many bytes to send. It must not have another pending frame.
  void request(std::uint32_t station, std::uint64_t packet_bytes);
  void happen(std::uint32_t what, std::uint32_t which) override;

  [[nodiscard]] std::uint64_t collisions() const noexcept { return collisions_; }
  [[nodiscard]] std::uint64_t frames() const noexcept { return frames_; }
  [[nodiscard]] std::uint64_t given_up() const noexcept { return given_up_; }
  /// Collisions of the frame that the station is sending, or has just sent.
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
  std::uint32_t generation_{0};  // of the events that are still valid
  std::vector<Contender> contenders_;
  std::vector<bool> sends_;                      // of the contenders, in the collision that is being resolved
  std::vector<std::uint32_t> frame_collisions_;  // by station
  std::uint32_t sender_{0};                      // place of the contender that succeeds
  bool succeeds_{false};
  bool awaits_slot_{false};  // for ideal back-off
  std::uint64_t collisions_{0};
  std::uint64_t frames_{0};
  std::uint64_t given_up_{0};
};

}  // namespace eventspace::whatif
