#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "tuplespace/system/mapping.h"

namespace eventspace {

/// The process of a server that `up` started.
struct ServerProcess {
  std::int32_t pid{0};
  std::uint64_t start_ticks{0};  ///< distinguishes it from a later process with the same number
};

/// The name under which the process of a session's port for observers is noted; not a valid name of a node.
inline constexpr const char* observers_port_name = "observers@";

/// The files by which `down` finds the servers that `up` started for a session on a machine. Each node has
/// NODE.pid ("PID START_TICKS" and its namespaces, see ProcessIdentity) and NODE.log, the output of its
/// server. They are in $XDG_RUNTIME_DIR/eventspace/SESSION/, or /tmp/eventspace-UID/SESSION/ without that
/// variable: directories of mode 0700 that must belong to this user.
class ServerFiles {
 public:
  /// Makes the directory. Throws EnvironmentError when it cannot be made, or other users have access to it.
  explicit ServerFiles(const std::string& session);

  [[nodiscard]] std::filesystem::path log(const std::string& node) const;
  /// The last lines of the log, at most `bytes` long.
  [[nodiscard]] std::string log_tail(const std::string& node, std::size_t bytes = 2000) const;

  /// Throws EnvironmentError when the file cannot be written.
  void remember(const std::string& node, std::int32_t pid) const;
  void forget(const std::string& node) const;
  /// The remembered server if it is still alive, and its ids are those of this process's /proc. Throws
  /// EnvironmentError when the file cannot be read.
  [[nodiscard]] std::optional<ServerProcess> find(const std::string& node) const;

  /// Locks the server of `node` against other processes that start or stop it, until the handle is destroyed.
  /// Throws EnvironmentError when another process holds the lock for longer than `patience`.
  [[nodiscard]] FileHandle lock(const std::string& node, std::chrono::nanoseconds patience) const;

 private:
  [[nodiscard]] std::filesystem::path file(const std::string& node, const char* extension) const;

  std::filesystem::path directory_;
};

}  // namespace eventspace
