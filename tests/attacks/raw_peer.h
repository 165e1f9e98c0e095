#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace eventspace::test {

/// A connection that speaks ZeroMQ's protocol by hand, and can stop at any point. Sends never block for long.
class RawPeer {
 public:
  /// Connects to "tcp://ADDRESS:PORT" or "ipc://PATH". Check is_open().
  explicit RawPeer(const std::string& endpoint);
  /// Has a TCP descriptor, and is not connected.
  RawPeer();
  ~RawPeer();
  RawPeer(RawPeer&& other) noexcept;
  RawPeer& operator=(RawPeer&&) = delete;
  [[nodiscard]] bool is_open() const noexcept { return descriptor_ >= 0; }

  /// Connects to "tcp://ADDRESS:PORT" without another descriptor. Returns whether that is under way or done.
  bool connect(const std::string& endpoint);

  /// Sends as much as the other end accepts within a short time; false if the connection has ended.
  bool send(std::span<const std::byte> bytes);
  /// Sends some bytes of the greeting only.
  bool begin_greeting(std::size_t bytes);
  /// Sends greeting and READY as a DEALER without keys, and waits for the other end's.
  bool shake_hands();
  /// Sends the header of a frame of `size` bytes; `more`: another frame of the message follows.
  bool announce(std::uint64_t size, bool more);
  /// Whether the other end has ended the connection, after a moment.
  [[nodiscard]] bool was_ended();

 private:
  int descriptor_{-1};
};

}  // namespace eventspace::test
