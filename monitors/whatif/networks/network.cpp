#include "monitors/whatif/networks/network.h"

#include <fmt/format.h>

#include <string_view>

#include "monitors/whatif/actions/amounts.h"

namespace eventspace::whatif {
namespace {

std::string describe(const EthernetNetwork& of) {
  return fmt::format("shared Ethernet, {}", rate_text(of.bits_per_second));
}

std::string describe(const LogGpNetwork& of) {
  if (of.latency == 0 && of.gap == 0 && of.per_byte == 0 && of.send_overhead == 0 && of.receive_overhead == 0)
    return "infinitely fast";
  std::string text = fmt::format("LogGP: latency {}, overhead {} and {}", to_text(of.latency),
                                 to_text(of.send_overhead), to_text(of.receive_overhead));
  if (of.gap != 0) text += ", gap " + to_text(of.gap);
  if (of.per_byte > 0) text += ", " + rate_text(8e12 / of.per_byte);
  if (of.rendezvous) text += fmt::format(", rendezvous above {} bytes", *of.rendezvous);
  return text;
}

std::string shape_of(const SwitchedNetwork& of) {
  switch (of.shape) {
    case SwitchedNetwork::Shape::one_switch:
      return "one switch";
    case SwitchedNetwork::Shape::tree:
      return fmt::format("{} switches of {} stations", of.switches, of.hosts);
    case SwitchedNetwork::Shape::fat_tree:
      return fmt::format("fat tree of {} levels", of.down.size());
    case SwitchedNetwork::Shape::platform:
      break;
  }
  return "platform " + of.platform;
}

std::string describe(const SwitchedNetwork& of) {
  std::string text = fmt::format("SimGrid's model {}: {}", of.model, shape_of(of));
  if (of.shape != SwitchedNetwork::Shape::platform)
    text += fmt::format(", links of {} and {}", rate_text(of.bits_per_second), to_text(of.latency));
  if (of.shape == SwitchedNetwork::Shape::tree)
    text += fmt::format(", uplinks of {} and {}", rate_text(of.uplink_bits_per_second),
                        to_text(of.uplink_latency));
  return text;
}

}  // namespace

std::optional<Network> shipped_network(std::string_view name) {
  if (name == "infinite") return Network{.name = "infinite"};
  EthernetNetwork ethernet;
  if (name == "ethernet10") return Network{.name = "ethernet10", .kind = ethernet};
  if (name != "ethernet100") return std::nullopt;
  ethernet.bits_per_second = 1e8;
  return Network{.name = "ethernet100", .kind = ethernet};
}

std::vector<std::string> shipped_network_names() { return {"infinite", "ethernet10", "ethernet100"}; }

std::string describe(const Network& network) {
  return std::visit([](const auto& kind) { return describe(kind); }, network.kind);
}

}  // namespace eventspace::whatif
