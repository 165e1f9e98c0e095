#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <eventspace/path.h>
#include "tuplespace/trace/node_clock.h"

namespace eventspace {

/// Bounds for all connections and servers of a process; set in pathmaps under `limits:`.
struct NetworkLimits {
  std::size_t message_bytes{64u << 20};  ///< largest message sent or accepted
  std::size_t open_targets{4096};        ///< open targets of one server, for all its peers together
  std::size_t connections{1024};         ///< peers that one server keeps track of
  /// Messages queued to one peer that does not read them; further messages are dropped and counted.
  std::size_t queued_messages{1000};
  std::chrono::nanoseconds lease{std::chrono::seconds(60)};  ///< a target unused for this long is freed
  /// How long after its deadline an operation on a remote element waits for the server's reply, which shows
  /// whether the operation happened. Without a reply it ends with Status::closed.
  std::chrono::nanoseconds answer_grace{std::chrono::seconds(2)};
};

struct SessionSecurity;  // paths/security/session_security.h

/// The messaging of a process: limits, clock, keys and a ZeroMQ context, which all Networks of a process
/// share, and whose I/O thread starts with the first connection. Must outlive all links and servers made with
/// it. Thread-safe. A forked child cannot use it; its copy is left alone by the destructor.
///
/// With `security`, connections over tcp:// are encrypted and both ends prove that they have keys of the
/// session (CURVE); without it, any process that reaches the port is admitted. Connections over ipc:// never
/// have keys: the kernel identifies the peer's user.
///
///     Network network;
///     LinkPool links(network);  // one for each thread
class Network {
 public:
  /// `session` is the session of local endpoints (paths/links/local_endpoint.h).
  explicit Network(NetworkLimits limits = {}, WhenLost when_lost = WhenLost::reconnect,
                   NodeClock clock = NodeClock(), std::string session = {},
                   std::shared_ptr<const SessionSecurity> security = nullptr);
  ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  [[nodiscard]] const NetworkLimits& limits() const noexcept { return limits_; }
  [[nodiscard]] WhenLost when_lost() const noexcept { return when_lost_; }
  [[nodiscard]] const std::string& session() const noexcept { return session_; }
  /// The clock that this process compares with those of its peers.
  [[nodiscard]] const NodeClock& clock() const noexcept { return clock_; }

  /// Null without keys.
  [[nodiscard]] const SessionSecurity* security() const noexcept { return security_.get(); }

  /// Ends all waits of this process for its peers: each wait in a remote stage, under way or later, ends
  /// within a second with Status::closed. Servers continue. Does not block.
  void close() noexcept { closed_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool is_closed() const noexcept { return closed_.load(std::memory_order_relaxed); }

  struct Context;  // paths/links/network_context.h
  [[nodiscard]] Context& context() noexcept { return *context_; }

 private:
  NetworkLimits limits_;
  WhenLost when_lost_;
  NodeClock clock_;
  std::string session_;
  std::shared_ptr<const SessionSecurity> security_;
  std::atomic<bool> closed_{false};
  std::unique_ptr<Context> context_;
  std::int32_t owner_;  // the process
};

}  // namespace eventspace
