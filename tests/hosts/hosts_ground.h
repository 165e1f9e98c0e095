#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/hosts/host_network.h"
#include "tests/monitors/ground.h"

namespace eventspace::testing_hosts {

/// Every node is a host of its own, with directories of its own for shared memory and runtime files: nobody
/// can read another node's segments by accident. The test and its monitors are a host too.
class HostsGround final : public testing_commands::Ground {
 public:
  /// Throws NoGround.
  explicit HostsGround(std::filesystem::path directory);

  /// A node is made at the first mention, and connected to switch 0.
  std::string address(const std::string& node) override;
  std::vector<std::string> launch(const std::string& node) override;
  /// From now on commands are started on `node` with these words instead.
  void set_launch(const std::string& node, std::vector<std::string> words) {
    launch_[node] = std::move(words);
  }

  /// What a process on `node` needs in its environment, as NAME=VALUE.
  [[nodiscard]] std::vector<std::string> environment(const std::string& node) const;

  HostNetwork& network() noexcept { return network_; }

 private:
  void make(const std::string& node);

  std::filesystem::path directory_;
  HostNetwork network_;
  std::map<std::string, std::vector<std::string>> launch_;
  std::unique_ptr<Visit> visit_;
};

/// `ground` as this program's tests have it, unless they are skipped.
inline HostNetwork& network_of(testing_commands::Ground& ground) {
  return static_cast<HostsGround&>(ground).network();
}

}  // namespace eventspace::testing_hosts
