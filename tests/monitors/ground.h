#pragma once

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace eventspace::testing_commands {

/// The machines of the nodes in a test's pathmap: this machine for all, unless a program defines another
/// ground. The same tests can thus run on one machine and on many hosts.
class Ground {
 public:
  Ground() = default;
  virtual ~Ground() = default;
  Ground(const Ground&) = delete;
  Ground& operator=(const Ground&) = delete;

  /// The address of `node`.
  virtual std::string address(const std::string& /*node*/) { return "127.0.0.1"; }
  /// The words that start a command on `node`; empty if that is this machine.
  virtual std::vector<std::string> launch(const std::string& /*node*/) { return {}; }
};

/// Thrown when this machine cannot provide the ground. The text says why, and the test is skipped.
class NoGround : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The ground of this program's tests; each links one_machine.cpp, or another file that defines it. Files go
/// into `directory`. Throws NoGround.
std::unique_ptr<Ground> make_ground(const std::filesystem::path& directory);

}  // namespace eventspace::testing_commands
