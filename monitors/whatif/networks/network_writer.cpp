#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <ostream>

#include "monitors/whatif/actions/amounts.h"
#include "monitors/whatif/networks/network_file.h"
#include "pathmaps/variants/yaml_text.h"

namespace eventspace::whatif {
namespace {

void write_time(std::ostream& out, const char* key, Picoseconds time) {
  if (time != 0) out << key << ": " << to_text(time) << '\n';
}

// With all digits, so that reading returns the same number.
void write_rate(std::ostream& out, const char* key, double per_byte) {
  if (per_byte > 0) out << fmt::format("{}: {:.17f}b/s\n", key, 8e12 / per_byte);
}

void write(std::ostream& out, const LogGpNetwork& of) {
  out << "latency: " << to_text(of.latency) << '\n';
  write_time(out, "send_overhead", of.send_overhead);
  write_time(out, "receive_overhead", of.receive_overhead);
  write_time(out, "gap", of.gap);
  write_rate(out, "rate", of.per_byte);
  if (of.rendezvous) out << "rendezvous: " << *of.rendezvous << "B\n";
}

void write(std::ostream& out, const EthernetNetwork& of) {
  out << fmt::format("rate: {:.17f}b/s\n", of.bits_per_second);
  out << fmt::format("slot_bits: {}\ngap_bits: {}\njam_bits: {}\ndelay_bits: {}\n", of.slot_bits, of.gap_bits,
                     of.jam_bits, of.delay_bits);
  out << fmt::format("attempts: {}\nmost_doublings: {}\nleast_frame: {}\nframing: {}\n", of.attempts,
                     of.most_doublings, of.least_frame, of.framing);
  out << "back_off: " << (of.back_off == EthernetNetwork::BackOff::ideal ? "ideal" : "exponential") << '\n';
  out << fmt::format("segment: {}\nheader: {}\nacknowledges: {}\n", of.segment, of.header, of.acknowledges);
  out << fmt::format(
      "hand_over: {}\nper_message: {}\nper_receive: {}\nper_segment: {}\nretransmits_after: {}\n",
      to_text(of.hand_over), to_text(of.per_message), to_text(of.per_receive), to_text(of.per_segment),
      to_text(of.retransmits_after));
}

void write_levels(std::ostream& out, const char* key, const std::vector<std::uint32_t>& levels) {
  if (!levels.empty()) out << fmt::format("{}: [{}]\n", key, fmt::join(levels, ", "));
}

void write(std::ostream& out, const SwitchedNetwork& of) {
  if (of.shape == SwitchedNetwork::Shape::platform) {
    out << "file: " << variants::yaml_word(of.platform) << '\n';
  } else {
    out << fmt::format("rate: {:.17f}b/s\nlatency: {}\n", of.bits_per_second, to_text(of.latency));
  }
  if (of.backplane) out << fmt::format("backplane: {:.17f}b/s\n", *of.backplane);
  if (of.shape == SwitchedNetwork::Shape::tree)
    out << fmt::format("hosts: {}\nswitches: {}\nuplink_rate: {:.17f}b/s\nuplink_latency: {}\n", of.hosts,
                       of.switches, of.uplink_bits_per_second, to_text(of.uplink_latency));
  write_levels(out, "down", of.down);
  write_levels(out, "up", of.up);
  write_levels(out, "cables", of.cables);
  out << fmt::format("model: {}\ntcp_window: {}B\ncrosstraffic: {}\nrendezvous: {}B\n", of.model,
                     of.tcp_window, of.crosstraffic, of.rendezvous);
}

const char* kind_of(const Network& network) {
  if (std::holds_alternative<EthernetNetwork>(network.kind)) return "ethernet";
  const auto* const switched = std::get_if<SwitchedNetwork>(&network.kind);
  if (switched == nullptr) return "loggp";
  constexpr std::array words{"switch", "tree", "fat-tree", "platform"};
  return words.at(static_cast<std::size_t>(switched->shape));
}

// Names that the shape gives to its stations are not written.
bool has_own_names(const Network& network) {
  const auto& names = network.stations;
  if (names.empty()) return false;
  return !std::holds_alternative<SwitchedNetwork>(network.kind) || names.front() != "n0" ||
         names.back() != fmt::format("n{}", names.size() - 1);
}

}  // namespace

void write_network(std::ostream& out, const Network& network) {
  out << "network: " << kind_of(network) << '\n';
  if (!network.name.empty()) out << "name: " << variants::yaml_word(network.name) << '\n';
  if (has_own_names(network)) {
    out << "stations:\n";
    for (const std::string& station : network.stations) out << "  - " << variants::yaml_word(station) << '\n';
  }
  write_time(out, "local_latency", network.local_latency);
  write_rate(out, "local_rate", network.local_per_byte);
  std::visit([&out](const auto& kind) { write(out, kind); }, network.kind);
}

}  // namespace eventspace::whatif
