#pragma once

#include <filesystem>
#include <list>
#include <string>
#include <vector>

#include "monitors/servers/child_process.h"
#include "tests/hosts/hosts_ground.h"

namespace eventspace::testing_hosts {

/// Runs a real sshd on simulated hosts, with keys and settings of the test, and settings for ssh to reach
/// them. Logins get the environment of the host (HostsGround). The machine's own sshd and ssh settings are
/// neither read nor written, except that sshd requires the empty directory /run/sshd.
class SecureShells {
 public:
  /// Throws NotPermitted if sshd is not installed, or would refuse all logins.
  SecureShells(std::filesystem::path directory, HostsGround& hosts);
  ~SecureShells();

  /// The keys that a host accepts.
  enum class Lets : std::uint8_t { us, nobody };
  /// Starts the sshd of `node`, and waits until it listens.
  void start(const std::string& node, Lets lets = Lets::us);
  /// Returns the command prefix that starts a command on the host of `node`: `ssh`, its options and the node.
  [[nodiscard]] std::vector<std::string> launch(const std::string& node) const;

 private:
  [[nodiscard]] std::filesystem::path file(const std::string& name) const { return directory_ / name; }
  void make_key(const std::string& name) const;
  void describe_to_client(const std::string& node) const;
  [[nodiscard]] std::string settings(const std::string& node, Lets lets) const;

  std::filesystem::path directory_;
  HostsGround* hosts_;
  std::list<ChildProcess> daemons_;
};

}  // namespace eventspace::testing_hosts
