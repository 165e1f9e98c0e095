#include "tests/hosts/hosts_ground.h"

namespace eventspace::testing_hosts {

namespace fs = std::filesystem;

HostsGround::HostsGround(fs::path directory) : directory_(std::move(directory)), network_(directory_) {
  network_.connect("monitor");
  visit_ = std::make_unique<Visit>(network_.at("monitor"));
}

std::string HostsGround::address(const std::string& node) {
  make(node);
  return network_.address(node);
}

std::vector<std::string> HostsGround::launch(const std::string& node) {
  if (const auto found = launch_.find(node); found != launch_.end()) return found->second;
  make(node);
  std::vector<std::string> words = network_.at(node).launch();
  words.emplace_back("env");
  for (std::string& variable : environment(node)) words.push_back(std::move(variable));
  return words;
}

std::vector<std::string> HostsGround::environment(const std::string& node) const {
  const std::string own = (directory_ / node).string();
  return {"XDG_RUNTIME_DIR=" + own, "EVENTSPACE_SHM_DIR=" + own + "/shm"};
}

void HostsGround::make(const std::string& node) {
  fs::create_directories(directory_ / node / "shm");
  if (!network_.has(node)) network_.connect(node);
}

}  // namespace eventspace::testing_hosts

namespace eventspace::testing_commands {

std::unique_ptr<Ground> make_ground(const std::filesystem::path& directory) {
  try {
    return std::make_unique<testing_hosts::HostsGround>(directory);
  } catch (const testing_hosts::NotPermitted& reason) {
    throw NoGround(std::string("hosts are network namespaces, and ") + reason.what());
  }
}

}  // namespace eventspace::testing_commands
