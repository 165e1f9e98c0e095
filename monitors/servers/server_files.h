#pragma once

// Private to monitors/.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "tuplespace/system/mapping.h"

namespace eventspace {

/// The server of a node as `up` started it.
struct ServerProcess {
  std::int32_t pid{0};
  std::uint64_t start_ticks{0};  ///< tells it from a later process with the same number
};

/// What `up` leaves on a machine so that `down` finds the servers of a session again: for each node a file
/// NODE.pid ("PID START_TICKS") and NODE.log, what the server wrote. They lie in
/// $XDG_RUNTIME_DIR/eventspace/SESSION/, or /tmp/eventspace-UID/SESSION/ without that variable: directories
/// of mode 0700 that must belong to this user.
class ServerFiles {
 public:
  /// Makes the directory. Throws EnvironmentError when it cannot, or it is not ours alone.
  explicit ServerFiles(const std::string& session);

  [[nodiscard]] std::filesystem::path log(const std::string& node) const;
  /// The last lines of the log, at most `bytes`.
  [[nodiscard]] std::string log_tail(const std::string& node, std::size_t bytes = 2000) const;

  /// Throws EnvironmentError when the file cannot be written.
  void remember(const std::string& node, std::int32_t pid) const;
  void forget(const std::string& node) const;
  /// The server that was remembered, when it is still alive. Throws EnvironmentError when that cannot be
  /// read.
  [[nodiscard]] std::optional<ServerProcess> find(const std::string& node) const;

  /// Held by whoever starts or stops the server of `node`. Throws EnvironmentError when another holds it for
  /// longer than `patience`.
  [[nodiscard]] FileHandle lock(const std::string& node, std::chrono::nanoseconds patience) const;

 private:
  [[nodiscard]] std::filesystem::path file(const std::string& node, const char* extension) const;

  std::filesystem::path directory_;
};

}  // namespace eventspace
