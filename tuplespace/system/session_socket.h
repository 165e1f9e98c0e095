#pragma once

// Private to tuplespace/.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tuplespace/system/deadline.h"
#include "tuplespace/system/mapping.h"

namespace eventspace {

/// Where the server of a session without a pathmap is reached on this machine: a socket in the user's own
/// directory (tuplespace/system/runtime_directory.h). The name of the socket is a hash of the session's, as
/// the path of a socket has at most 107 bytes. A second server could bind the same path and would get all
/// later connections, so a lock beside the socket says that it is served.
///
///     HASH.socket     the socket
///     HASH.lock       locked as long as a server has taken it; its text is the name of the session
///     HASH.ending     the socket of a server that is about to end
///
/// A server takes the lock, then binds the socket. Before it ends it hides the socket, looks whether a
/// process came just before, and shows it again in that case. So the session is served if the lock is held
/// and the socket is there; with the lock alone, a server will serve or be gone soon.
///
/// Immutable; thread-safe.
class SessionSocket {
 public:
  /// Throws EnvironmentError if the directory cannot be used or its path is too long for a socket.
  explicit SessionSocket(std::string_view session);

  /// "ipc://PATH"
  [[nodiscard]] const std::string& endpoint() const noexcept { return endpoint_; }
  /// Whether a server has taken the socket and can be connected to.
  [[nodiscard]] bool is_served() const;
  /// Whether a server has taken the socket; it may be starting or ending.
  [[nodiscard]] bool is_taken() const;
  /// Waits while a server that has taken the socket is starting or ending, until the deadline at the longest.
  /// Returns is_served().
  [[nodiscard]] bool is_served_soon(Deadline deadline) const;
  /// Holds the socket for a server. The destructor removes the socket; the lock's file stays, because another
  /// server may have opened it already.
  class Taken {
   public:
    Taken(FileHandle lock, std::filesystem::path socket, std::filesystem::path hidden) noexcept
        : lock_(std::move(lock)), socket_(std::move(socket)), hidden_(std::move(hidden)) {}
    ~Taken();
    Taken(Taken&&) noexcept = default;
    Taken& operator=(Taken&&) = delete;

    /// Makes that no process can connect any more, and lets them connect again. Connections that there are
    /// stay. Return false if the socket is not there, because it was removed from outside.
    bool hide() const noexcept;
    bool show() const noexcept;

   private:
    FileHandle lock_;
    std::filesystem::path socket_;
    std::filesystem::path hidden_;
  };
  /// Takes the socket for a server of this process, and removes what an earlier one may have left. It is held
  /// until the result is destroyed, or the process ends. Returns nothing if another server has it. Throws
  /// EnvironmentError if the lock cannot be opened.
  [[nodiscard]] std::optional<Taken> take() const;

 private:
  std::string session_;
  std::filesystem::path socket_;
  std::filesystem::path lock_;
  std::filesystem::path hidden_;
  std::string endpoint_;
};

}  // namespace eventspace
