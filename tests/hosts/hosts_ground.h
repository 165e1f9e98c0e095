#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/hosts/host_network.h"
#include "tests/monitors/ground.h"

namespace eventspace::testing_hosts {

/// A Ground on which every node is a simulated host (HostNetwork) with its own directories for shared memory
/// and runtime files, so that processes cannot read the segments of another node by accident. The test and
/// its monitors also run on a host.
class HostsGround final : public testing_commands::Ground {
 public:
  /// Throws NoGround.
  explicit HostsGround(std::filesystem::path directory);

  /// The first call for a node creates its host and connects it to switch 0.
  std::string address(const std::string& node) override;
  std::vector<std::string> launch(const std::string& node) override;
  /// Sets the command prefix with which later commands are started on `node`.
  void set_launch(const std::string& node, std::vector<std::string> words) {
    launch_[node] = std::move(words);
  }

  /// Returns the environment variables of processes on `node`, as NAME=VALUE.
  [[nodiscard]] std::vector<std::string> environment(const std::string& node) const;

  HostNetwork& network() noexcept { return network_; }

 private:
  void make(const std::string& node);

  std::filesystem::path directory_;
  HostNetwork network_;
  std::map<std::string, std::vector<std::string>> launch_;
  std::unique_ptr<Visit> visit_;
};

/// Returns the network of `ground`. REQUIRES: `ground` is a HostsGround, as in all tests of this program.
inline HostNetwork& network_of(testing_commands::Ground& ground) {
  return static_cast<HostsGround&>(ground).network();
}

}  // namespace eventspace::testing_hosts
