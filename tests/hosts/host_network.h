#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/hosts/network_namespace.h"

namespace eventspace::testing_hosts {

/// Simulated hosts on this machine. Each is a network namespace, with cables to switches:
///
///     n1 eth0 ----+         +---- eth0 g1 eth1 ----+         +---- eth0 n3
///                 | switch 0|                      | switch 1|
///     n2 eth0 ----+ 10.77.0 |                      + 10.77.1 +---- eth0 n4
///
/// A cable is a pair of veth devices; the switches are bridges in another namespace. No packets are forwarded
/// between switches. Requires the right to create namespaces, and the programs ip, tc and nsenter.
class HostNetwork {
 public:
  /// `directory` is for the output of these programs. Throws NotPermitted.
  explicit HostNetwork(const std::filesystem::path& directory);

  /// Connects `host` to a switch. Creates either if necessary. Call once for each host and switch.
  void connect(const std::string& host, int to_switch = 0);

  [[nodiscard]] bool has(const std::string& host) const { return hosts_.contains(host); }
  [[nodiscard]] const NetworkNamespace& at(const std::string& host) const { return host_at(host).place; }
  /// Return the address of the first cable, eth0, or of the cable to the given switch.
  [[nodiscard]] std::string address(const std::string& host) const;
  [[nodiscard]] std::string address(const std::string& host, int on_switch) const;

  /// Pulls the cable out of the switch: other hosts get no packets, and no errors, from this host.
  void unplug(const std::string& host, int from_switch = 0) { set_port(host, from_switch, "down"); }
  void plug(const std::string& host, int into_switch = 0) { set_port(host, into_switch, "up"); }

  /// Gives `host` a permanent ARP entry for `other`. Without it, `host` would get an error when `other` is
  /// silent.
  void make_known(const std::string& host, const std::string& other);

  /// Limits the rate at which the host sends (tc tbf), in the notation of tc: "1mbit". Returns false if the
  /// kernel lacks tbf.
  [[nodiscard]] bool try_limit_rate(const std::string& host, const std::string& rate);
  /// The same for both directions of its cable to switch 0, like a slower port of a switch.
  [[nodiscard]] bool try_limit_cable(const std::string& host, const std::string& rate);
  /// Keeps connections of the host fast after a pause, as on many clusters. Otherwise TCP begins each message
  /// slowly, as if the network had changed.
  void keep_speed_after_idle(const std::string& host);
  /// Delays the packets that the host sends (tc netem). Returns false if the kernel lacks netem.
  [[nodiscard]] bool try_delay(const std::string& host, std::chrono::milliseconds delay);
  /// Removes the limit and the delay.
  void unlimit(const std::string& host);

 private:
  struct Host {
    int number;
    NetworkNamespace place;
    std::vector<int> switches;  // the switches to which eth0, eth1, ... are connected
  };

  [[nodiscard]] const Host& host_at(const std::string& host) const;
  void set_port(const std::string& host, int of_switch, const std::string& state);
  // Runs a command inside the namespace. Returns true if it succeeded.
  bool try_in(const NetworkNamespace& place, const std::string& command);
  void in(const NetworkNamespace& place, const std::string& command);

  std::filesystem::path said_;
  NetworkNamespace switches_;
  std::set<int> made_;
  std::map<std::string, Host> hosts_;
};

}  // namespace eventspace::testing_hosts
