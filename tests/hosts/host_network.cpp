#include "tests/hosts/host_network.h"

#include <fmt/format.h>

#include <sstream>

#include "monitors/servers/child_process.h"
#include "monitors/servers/find_program.h"
#include "tests/monitors/workplace.h"

namespace eventspace::testing_hosts {
namespace {

// Checked before anything is created, so that no later step fails for a missing program.
std::filesystem::path require_programs(const std::filesystem::path& directory) {
  for (const char* const program : {"ip", "tc", "nsenter"}) {
    if (!find_program(program)) throw NotPermitted(fmt::format("there is no program '{}' here", program));
  }
  return directory / "network.said";
}

std::string address_of(int on_switch, int number) { return fmt::format("10.77.{}.{}", on_switch, number); }
std::string hardware_address_of(int on_switch, int number) {
  return fmt::format("02:00:0a:4d:{:02x}:{:02x}", on_switch, number);
}
// Returns the name of the switch's end of a cable.
std::string port_of(const std::string& host, int on_switch) { return fmt::format("{}.{}", host, on_switch); }

}  // namespace

HostNetwork::HostNetwork(const std::filesystem::path& directory) : said_(require_programs(directory)) {}

void HostNetwork::connect(const std::string& name, int to_switch) {
  const std::string bridge = fmt::format("switch{}", to_switch);
  if (made_.insert(to_switch).second) {
    in(switches_, fmt::format("ip link add {} type bridge", bridge));
    in(switches_, fmt::format("ip link set {} up", bridge));
  }
  if (!has(name)) hosts_.emplace(name, Host{static_cast<int>(hosts_.size()) + 1, {}, {}});
  Host& host = hosts_.at(name);
  const std::string device = fmt::format("eth{}", host.switches.size());
  const std::string port = port_of(name, to_switch);
  host.switches.push_back(to_switch);
  in(switches_, fmt::format("ip link add {} type veth peer name {} address {} netns {}", port, device,
                            hardware_address_of(to_switch, host.number), host.place.holder()));
  in(switches_, fmt::format("ip link set {} master {} up", port, bridge));
  in(host.place, "ip link set lo up");
  in(host.place, fmt::format("ip address add {}/24 dev {}", address_of(to_switch, host.number), device));
  in(host.place, fmt::format("ip link set {} up", device));
}

std::string HostNetwork::address(const std::string& host) const {
  return address(host, host_at(host).switches.front());
}
std::string HostNetwork::address(const std::string& host, int on_switch) const {
  return address_of(on_switch, host_at(host).number);
}

void HostNetwork::make_known(const std::string& host, const std::string& other) {
  in(at(host), fmt::format("ip neighbour replace {} lladdr {} dev eth0 nud permanent", address(other),
                           hardware_address_of(host_at(other).switches.front(), host_at(other).number)));
}

bool HostNetwork::try_limit_rate(const std::string& host, const std::string& rate) {
  return try_in(at(host),
                fmt::format("tc qdisc replace dev eth0 root tbf rate {} burst 4kb latency 60s", rate));
}

bool HostNetwork::try_limit_cable(const std::string& host, const std::string& rate) {
  return try_limit_rate(host, rate) &&
         try_in(switches_, fmt::format("tc qdisc replace dev {} root tbf rate {} burst 4kb latency 60s",
                                       port_of(host, 0), rate));
}

void HostNetwork::keep_speed_after_idle(const std::string& host) {
  in(at(host), "sysctl -q -w net.ipv4.tcp_slow_start_after_idle=0");
}

bool HostNetwork::try_delay(const std::string& host, std::chrono::milliseconds delay) {
  return try_in(at(host), fmt::format("tc qdisc replace dev eth0 root netem delay {}ms", delay.count()));
}

void HostNetwork::unlimit(const std::string& host) { in(at(host), "tc qdisc del dev eth0 root"); }

const HostNetwork::Host& HostNetwork::host_at(const std::string& host) const { return hosts_.at(host); }

void HostNetwork::set_port(const std::string& host, int of_switch, const std::string& state) {
  in(switches_, fmt::format("ip link set {} {}", port_of(host, of_switch), state));
}

bool HostNetwork::try_in(const NetworkNamespace& place, const std::string& command) {
  ChildSpec spec;
  spec.command = place.launch();
  std::istringstream words(command);
  for (std::string word; words >> word;) spec.command.push_back(word);
  spec.output = said_;
  return ChildProcess::start(spec).wait().is_fine();
}

void HostNetwork::in(const NetworkNamespace& place, const std::string& command) {
  if (try_in(place, command)) return;
  throw NotPermitted(
      fmt::format("cannot `{}` in a network namespace: {}", command, testing_commands::read_text(said_)));
}

}  // namespace eventspace::testing_hosts
