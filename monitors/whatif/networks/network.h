#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "monitors/whatif/actions/action.h"

namespace eventspace::whatif {

/// A shared Ethernet, half duplex, with the TCP of its stations. Defaults come from IEEE 802.3 and Zabel's
/// simulation (1996, 4.2 and 6.1). Units of the medium are bit times, independent of the rate.
struct EthernetNetwork {
  enum class BackOff : std::uint8_t {
    exponential,  ///< binary exponential, as in the standard
    /// Each of Q stations with a frame sends in a slot with probability 1/Q, as Metcalfe and Boggs (1976)
    /// assume; for comparison with their formula.
    ideal
  };

  double bits_per_second{1e7};
  std::uint32_t slot_bits{512};
  std::uint32_t gap_bits{96};  ///< between frames
  std::uint32_t jam_bits{32};
  std::uint32_t delay_bits{256};  ///< until a signal has reached all stations; at most half a slot
  std::uint32_t attempts{16};     ///< then the frame is dropped, and TCP sends it again
  std::uint32_t most_doublings{10};
  std::uint32_t least_frame{64};  ///< bytes
  std::uint32_t framing{0};       ///< bytes of a frame beside the packet
  BackOff back_off{BackOff::exponential};

  std::uint32_t segment{1460};           ///< most bytes of data in a packet
  std::uint32_t header{40};              ///< bytes of a packet beside data
  bool acknowledges{true};               ///< with a packet of `header` bytes for each complete receive
  Picoseconds hand_over{375'000'000};    ///< a task hands a message over to TCP
  Picoseconds per_message{300'000'000};  ///< TCP, for each message that it sends
  Picoseconds per_receive{300'000'000};  ///< and for each receive that is complete
  Picoseconds per_segment{0};
  Picoseconds retransmits_after{200'000'000'000};  ///< a frame that was given up
};

/// LogGP (Alexandrov et al., 1995), with separate overheads for the two ends:
///
///     a message of k bytes arrives    send_overhead + (k - 1) per_byte + latency + receive_overhead
///
/// after it was sent. The next message of a station enters the network `gap` after the last byte of the
/// previous message; a station accepts messages the same way. With zeros, the network is infinitely fast.
struct LogGpNetwork {
  Picoseconds latency{0};
  Picoseconds send_overhead{0};
  Picoseconds receive_overhead{0};
  Picoseconds gap{0};
  double per_byte{0};  ///< picoseconds
  /// Larger messages wait at their sender for the receive and for a handshake of one round trip.
  std::optional<std::uint64_t> rendezvous{};
};

/// A switched network, simulated by SimGrid with the given network model. Links are full duplex. Latencies
/// and rates are per link; a message passes several links.
struct SwitchedNetwork {
  enum class Shape : std::uint8_t {
    one_switch,  ///< each station is connected to one switch
    tree,        ///< stations are connected to switches, and these to a root switch
    fat_tree,    ///< such as k-ary n-trees: `down`, `up`, `cables`, by level
    platform     ///< a SimGrid platform file of the user
  };

  Shape shape{Shape::one_switch};
  double bits_per_second{1e9};
  Picoseconds latency{0};
  std::optional<double> backplane{};  ///< for one_switch: total bits per second through the switch
  std::uint32_t hosts{0};             ///< for a tree: stations per switch
  std::uint32_t switches{0};          ///< of a tree
  double uplink_bits_per_second{0};   ///< of a tree
  Picoseconds uplink_latency{0};
  std::vector<std::uint32_t> down{}, up{}, cables{};  ///< for a fat tree, from the stations up; of equal
                                                      ///< length
  std::string platform{};                             ///< file

  std::string model{"CM02"};  ///< SimGrid's CM02, LV08, SMPI or IB
  /// The most bytes in flight on a TCP connection; 0 means unlimited.
  std::uint64_t tcp_window{0};
  bool crosstraffic{false};  ///< acknowledgements use the reverse links
  /// Larger messages wait at their sender for the receive.
  std::uint64_t rendezvous{65536};
};

/// A network to simulate. Messages between tasks of one station do not enter it.
struct Network {
  std::string name;
  std::variant<EthernetNetwork, LogGpNetwork, SwitchedNetwork> kind{LogGpNetwork{}};
  std::vector<std::string> stations{};  ///< names; empty means as many stations as needed
  Picoseconds local_latency{0};         ///< for a message within a station
  double local_per_byte{0};             ///< picoseconds
};

/// The network of that name that is shipped with EventSpace: "infinite", "ethernet10", "ethernet100".
std::optional<Network> shipped_network(std::string_view name);
/// Their names, for messages and help.
std::vector<std::string> shipped_network_names();
/// A short description: "shared Ethernet, 10Mb/s".
std::string describe(const Network& network);

}  // namespace eventspace::whatif
