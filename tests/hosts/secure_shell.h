#pragma once

#include <filesystem>
#include <list>
#include <string>
#include <vector>

#include "monitors/servers/child_process.h"
#include "tests/hosts/hosts_ground.h"

namespace eventspace::testing_hosts {

/// A real sshd on each host that is asked for one, with keys and settings of the test's own, and a client's
/// settings to reach them. Who logs in has the host's environment (HostsGround). Nothing of this machine's
/// own sshd or ssh is read or written, but that sshd insists on the empty directory /run/sshd.
class SecureShells {
 public:
  /// Throws NotPermitted when there is no sshd here, or it would let nobody in.
  SecureShells(std::filesystem::path directory, HostsGround& hosts);
  ~SecureShells();

  /// Whose keys a host lets in.
  enum class Lets : std::uint8_t { us, nobody };
  /// Starts the sshd of `node`, and waits until it listens.
  void start(const std::string& node, Lets lets = Lets::us);
  /// The words that start a command on any of these hosts: `ssh` and the name of the node.
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
