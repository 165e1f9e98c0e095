#include "monitors/whatif/switched/platform_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace eventspace::whatif {
namespace {

// Rate of messages within a station; SimGrid does not support an infinite rate.
constexpr double endless = 1e15;

std::string rate_word(double bits_per_second) { return fmt::format("{:.17g}Bps", bits_per_second / 8); }
std::string time_word(Picoseconds time) { return fmt::format("{:.17g}s", in_seconds(time)); }

std::string link_words(double bits_per_second, Picoseconds latency) {
  return fmt::format(R"(bw="{}" lat="{}")", rate_word(bits_per_second), time_word(latency));
}

// Stations of a switch, each with a link for each direction. `more`: further attributes.
std::string cluster(const Network& network, const std::string& id, std::size_t first, std::size_t count,
                    const std::string& more) {
  const auto& of = std::get<SwitchedNetwork>(network.kind);
  const double local = network.local_per_byte > 0 ? 8e12 / network.local_per_byte : endless;
  return fmt::format(
      "<cluster id=\"{}\" prefix=\"n\" suffix=\"\" radical=\"{}-{}\" speed=\"1Gf\" {} "
      "sharing_policy=\"SPLITDUPLEX\" loopback_bw=\"{}\" loopback_lat=\"{}\"{}/>\n",
      id, first, first + count - 1, link_words(of.bits_per_second, of.latency), rate_word(local),
      time_word(network.local_latency), more);
}

std::string one_switch(const Network& network, std::size_t stations) {
  const auto& of = std::get<SwitchedNetwork>(network.kind);
  std::string backplane;
  if (of.backplane) backplane = fmt::format(R"( bb_bw="{}" bb_lat="0s")", rate_word(*of.backplane));
  return cluster(network, "stations", 0, std::max<std::size_t>(stations, 1), backplane);
}

std::string route(std::uint32_t from, std::uint32_t to) {
  return fmt::format(
      "<zoneRoute src=\"switch{0}\" dst=\"switch{1}\" gw_src=\"router{0}\" gw_dst=\"router{1}\" "
      "symmetrical=\"NO\"><link_ctn id=\"uplink{0}\" direction=\"UP\"/><link_ctn id=\"uplink{1}\" "
      "direction=\"DOWN\"/></zoneRoute>\n",
      from, to);
}

std::string tree(const Network& network) {
  const auto& of = std::get<SwitchedNetwork>(network.kind);
  std::string text = "<zone id=\"tree\" routing=\"Full\">\n";
  for (std::uint32_t i = 0; i < of.switches; ++i)
    text += cluster(network, fmt::format("switch{}", i), std::size_t{i} * of.hosts, of.hosts,
                    fmt::format(R"( router_id="router{}")", i));
  for (std::uint32_t i = 0; i < of.switches; ++i)
    text += fmt::format(
        "<link id=\"uplink{}\" bandwidth=\"{}\" latency=\"{}\" sharing_policy=\"SPLITDUPLEX\"/>\n", i,
        rate_word(of.uplink_bits_per_second), time_word(of.uplink_latency));
  for (std::uint32_t from = 0; from < of.switches; ++from) {
    for (std::uint32_t to = 0; to < of.switches; ++to) {
      if (from != to) text += route(from, to);
    }
  }
  return text + "</zone>\n";
}

std::string fat_tree(const Network& network) {
  const auto& of = std::get<SwitchedNetwork>(network.kind);
  return cluster(network, "stations", 0, network.stations.size(),
                 fmt::format(R"( topology="FAT_TREE" topo_parameters="{};{};{};{}")", of.down.size(),
                             fmt::join(of.down, ","), fmt::join(of.up, ","), fmt::join(of.cables, ",")));
}

}  // namespace

std::string platform_text(const Network& network, std::size_t stations) {
  const std::string head =
      "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
      "<platform version=\"4.1\">\n";
  std::string body;
  switch (std::get<SwitchedNetwork>(network.kind).shape) {
    case SwitchedNetwork::Shape::one_switch:
      body = one_switch(network, stations);
      break;
    case SwitchedNetwork::Shape::tree:
      body = tree(network);
      break;
    case SwitchedNetwork::Shape::fat_tree:
      body = fat_tree(network);
      break;
    case SwitchedNetwork::Shape::platform:
      break;
  }
  return head + body + "</platform>\n";
}

std::vector<std::string> platform_hosts(const Network& network, std::size_t stations) {
  const auto& of = std::get<SwitchedNetwork>(network.kind);
  if (of.shape == SwitchedNetwork::Shape::platform) return network.stations;
  std::vector<std::string> hosts;
  const std::size_t count = network.stations.empty() ? stations : network.stations.size();
  for (std::size_t i = 0; i < count; ++i) hosts.push_back(fmt::format("n{}", i));
  return hosts;
}

std::vector<std::string> simgrid_options(const SwitchedNetwork& network) {
  return {fmt::format("network/model:{}", network.model),
          fmt::format("network/TCP-gamma:{}", network.tcp_window),
          fmt::format("network/crosstraffic:{}", network.crosstraffic ? 1 : 0)};
}

}  // namespace eventspace::whatif
