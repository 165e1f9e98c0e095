#pragma once

// Private to tuplespace/.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tuplespace/system/mapping.h"

namespace eventspace {

/// Where the server of a session without a pathmap is reached on this machine: a socket in the user's own
/// directory (tuplespace/system/runtime_directory.h). The name of the socket is a hash of the session's, as
/// the path of a socket has at most 107 bytes. A second server could bind the same path and would get all
/// later connections, so a lock beside the socket says that it is served.
///
///     HASH.socket     the socket
///     HASH.lock       locked as long as a server serves; its text is the name of the session
///
/// Immutable; thread-safe.
class SessionSocket {
 public:
  /// Throws EnvironmentError if the directory cannot be used or its path is too long for a socket.
  explicit SessionSocket(std::string_view session);

  /// "ipc://PATH"
  [[nodiscard]] const std::string& endpoint() const noexcept { return endpoint_; }
  /// Whether a server has taken the socket.
  [[nodiscard]] bool is_served() const;
  /// Holds the socket for a server. The destructor removes the socket; the lock's file stays, because another
  /// server may have opened it already.
  class Taken {
   public:
    Taken(FileHandle lock, std::filesystem::path socket) noexcept
        : lock_(std::move(lock)), socket_(std::move(socket)) {}
    ~Taken();
    Taken(Taken&&) noexcept = default;
    Taken& operator=(Taken&&) = delete;

   private:
    FileHandle lock_;
    std::filesystem::path socket_;
  };
  /// Takes the socket for a server of this process, and removes what an earlier one may have left. It is held
  /// until the result is destroyed, or the process ends. Returns nothing if another server has it. Throws
  /// EnvironmentError if the lock cannot be opened.
  [[nodiscard]] std::optional<Taken> take() const;

 private:
  std::string session_;
  std::filesystem::path socket_;
  std::filesystem::path lock_;
  std::string endpoint_;
};

}  // namespace eventspace
