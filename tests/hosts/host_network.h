#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/hosts/network_namespace.h"

namespace eventspace::testing_hosts {

/// Hosts on this machine, each a network namespace, with cables to switches:
///
///     n1 eth0 ----+         +---- eth0 g1 eth1 ----+         +---- eth0 n3
///                 | switch 0|                      | switch 1|
///     n2 eth0 ----+ 10.77.0 |                      + 10.77.1 +---- eth0 n4
///
/// A cable is a pair of veth devices; the switches are bridges in one namespace more. Nothing is forwarded
/// from one switch to another. Needs the right to make namespaces, and the programs ip, tc and nsenter.
class HostNetwork {
 public:
  /// `directory`: for what these programs say. Throws NotPermitted.
  explicit HostNetwork(const std::filesystem::path& directory);

  /// Connects `host` to a switch; either is made when it is new. A host is connected once to a switch.
  void connect(const std::string& host, int to_switch = 0);

  [[nodiscard]] bool has(const std::string& host) const { return hosts_.contains(host); }
  [[nodiscard]] const NetworkNamespace& at(const std::string& host) const { return host_at(host).place; }
  /// Of its first cable, eth0, or of the one to that switch.
  [[nodiscard]] std::string address(const std::string& host) const;
  [[nodiscard]] std::string address(const std::string& host, int on_switch) const;

  /// Pulls the cable out of the switch: to everybody else the host is silent.
  void unplug(const std::string& host, int from_switch = 0) { set_port(host, from_switch, "down"); }
  void plug(const std::string& host, int into_switch = 0) { set_port(host, into_switch, "up"); }

  /// `host` never has to ask for the other's hardware address: it does not notice when that is silent.
  void make_known(const std::string& host, const std::string& other);

  /// What the host sends passes at this rate (tc tbf), as tc writes it: "1mbit". False: the kernel has no
  /// tbf.
  [[nodiscard]] bool try_limit_rate(const std::string& host, const std::string& rate);
  /// What the host sends arrives so much later (tc netem). False: the kernel has no netem.
  [[nodiscard]] bool try_delay(const std::string& host, std::chrono::milliseconds delay);
  /// As fast as the machine allows again.
  void unlimit(const std::string& host);

 private:
  struct Host {
    int number;
    NetworkNamespace place;
    std::vector<int> switches;  // of eth0, eth1, ...
  };

  [[nodiscard]] const Host& host_at(const std::string& host) const;
  void set_port(const std::string& host, int of_switch, const std::string& state);
  // Runs a command inside; whether it went well.
  bool try_in(const NetworkNamespace& place, const std::string& command);
  void in(const NetworkNamespace& place, const std::string& command);

  std::filesystem::path said_;
  NetworkNamespace switches_;
  std::set<int> made_;
  std::map<std::string, Host> hosts_;
};

}  // namespace eventspace::testing_hosts
