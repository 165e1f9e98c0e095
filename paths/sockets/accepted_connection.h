#pragma once

// The kernel's data on one accepted connection, and its end. ZeroMQ owns the connection's descriptor and may
// close it at any time, so that the number may soon refer to another file; these functions make sure that
// they only examine or end a connection of the listener.

#include <cstdint>
#include <optional>
#include <string>

namespace eventspace {

/// The address at which a socket listens; connections that it accepted have it as their local address.
class ListenAddress {
 public:
  /// `endpoint` as ZeroMQ reports it after a bind: "tcp://HOST:PORT", "ipc://PATH" or "ipc://@NAME".
  explicit ListenAddress(const std::string& endpoint);
  /// Whether `descriptor` is a connection that was accepted there. One system call.
  [[nodiscard]] bool accepted(int descriptor) const noexcept;

 private:
  std::uint16_t port_{0};  // 0 if local
  std::string path_;       // as the kernel has it: the name of an abstract socket begins with a zero byte
};

/// Counts the bytes that the process has taken from one connection. Copyable; not thread-safe.
class ReceivedBytes {
 public:
  /// Begins to count, where the kernel does not count by itself: local connections count from now on.
  explicit ReceivedBytes(int descriptor) noexcept;
  /// The bytes so far; nullopt if the kernel does not report them. At most two system calls.
  [[nodiscard]] std::optional<std::uint64_t> so_far(int descriptor) noexcept;

 private:
  bool local_{false};
  std::uint64_t before_{0};  // for a local connection: counted before the kernel's counter was last reset
};

/// Ends a connection that was accepted at `address`; does not affect other files. ZeroMQ notices and frees
/// its memory for it.
void cut_off(int descriptor, const ListenAddress& address) noexcept;

}  // namespace eventspace
