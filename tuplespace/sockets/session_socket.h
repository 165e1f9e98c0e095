#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <eventspace/deadline.h>
#include "tuplespace/processes/process_origin.h"
#include "tuplespace/system/mapping.h"

namespace eventspace {

/// The socket of a session's server on this machine, in the user's directory
/// (tuplespace/system/runtime_directory.h). A session without a pathmap has one server; a session with a
/// pathmap has a server for each node, and for processes whose elements others use. The name of the socket is
/// a hash of the names of session and server, because the path of a socket has at most 107 bytes. A second
/// server could bind the same path and would get all later connections, so a lock beside the socket shows
/// that it is served.
///
///     HASH.socket     the socket; an empty file for a server that is reached elsewhere (announce)
///     HASH.lock       locked as long as a server has taken it; its text is the process, session and server,
///                     and the namespaces in which the process has its id
///     HASH.ending     the socket of a server that is about to end
///
/// A server takes the lock, then binds the socket. Before it ends, it hides the socket, checks whether a
/// process came just before, and shows it again in that case. So the server can be reached if the lock is
/// held and the socket exists; with only the lock, it will serve or be gone soon. Files left by a killed
/// server are replaced. Other users cannot make or lock these files.
///
/// Immutable; thread-safe.
class SessionSocket {
 public:
  /// `server` is empty for the server of a session without a pathmap, otherwise unique in the session. Throws
  /// EnvironmentError if the directory cannot be used or its path is too long for a socket.
  explicit SessionSocket(std::string_view session, std::string_view server = {});

  /// "ipc://PATH"
  [[nodiscard]] const std::string& endpoint() const noexcept { return endpoint_; }
  /// Whether a server has taken the socket and can be connected to.
  [[nodiscard]] bool is_served() const;
  /// Whether a server has taken the socket; it may be starting or ending.
  [[nodiscard]] bool is_taken() const;
  /// Waits while a server that has taken the socket is starting or ending, at most until the deadline.
  /// Returns is_served().
  [[nodiscard]] bool is_served_soon(Deadline deadline) const;
  /// Returns the process that has taken the socket, if known. Its id may be from another namespace, see
  /// ProcessSight.
  [[nodiscard]] std::optional<ProcessIdentity> holder() const;

  /// Holds the socket for a server. The destructor removes the files, but not in a forked child.
  class Taken {
   public:
    Taken(FileHandle lock, std::filesystem::path socket) noexcept;
    ~Taken();
    Taken(Taken&&) noexcept = default;
    Taken& operator=(Taken&&) = delete;

    /// Prevent and allow new connections. Existing connections stay. Return false if the socket is missing,
    /// because it was removed from outside.
    bool hide() const noexcept;
    bool show() const noexcept;
    /// Call when a server that listens elsewhere, at a TCP port, has begun to listen: from then on
    /// is_served() is true, which shows that it is a server of this user. Throws EnvironmentError on failure.
    void announce() const;

   private:
    FileHandle lock_;
    std::filesystem::path socket_;
    std::int32_t owner_;
  };
  /// Takes the socket for a server of this process, and removes the files of an earlier server. It is held
  /// until the result is destroyed, or the process ends. Returns nothing if another server has it. Throws
  /// EnvironmentError if the lock cannot be opened.
  [[nodiscard]] std::optional<Taken> take() const;
  /// The same, but throws EnvironmentError if another server has it. The text has `what`, such as "node n1 of
  /// session gas", and the process that already serves it.
  [[nodiscard]] Taken require(std::string_view what) const;

 private:
  std::string text_;
  std::filesystem::path socket_;
  std::filesystem::path lock_;
  std::string endpoint_;
};

}  // namespace eventspace
