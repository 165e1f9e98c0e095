#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "tuplespace/trace/node_clock.h"

namespace eventspace {

/// Bounds of all connections and servers of a process; pathmaps name them under `limits:`.
struct NetworkLimits {
  std::size_t message_bytes{64u << 20};  ///< largest message sent or accepted
  std::size_t open_targets{4096};        ///< that the peers of one server have open together
  std::size_t connections{1024};         ///< peers that one server keeps track of
  std::size_t queued_messages{
      1000};  ///< towards one peer that does not drain; later ones are dropped, counted
  std::chrono::nanoseconds lease{std::chrono::seconds(60)};  ///< an open target unused for so long is freed
  /// How long past its deadline an operation on a remote element waits for the server's word on whether it
  /// happened. Without that word it ends as Status::closed.
  std::chrono::nanoseconds answer_grace{std::chrono::seconds(2)};
};

/// What becomes of a connection to a server once it was lost: the server's process died, or its host
/// vanished.
enum class WhenLost : std::uint8_t {
  reconnect,  ///< it is made again: operations begun later wait for it, until their deadlines
  end         ///< it is not: operations begun later end as Status::closed, with the reason
};

/// The messaging of a process (a ZeroMQ context): its I/O thread starts with the first connection. Must
/// outlive the links and servers made with it. Thread-safe.
class Network {
 public:
  explicit Network(NetworkLimits limits = {}, WhenLost when_lost = WhenLost::reconnect,
                   NodeClock clock = NodeClock());
  ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  [[nodiscard]] const NetworkLimits& limits() const noexcept { return limits_; }
  [[nodiscard]] WhenLost when_lost() const noexcept { return when_lost_; }
  /// By which both ends of its connections compare their times.
  [[nodiscard]] const NodeClock& clock() const noexcept { return clock_; }

  /// Nobody of this process waits for a peer any more: a remote stage's wait, under way or to come, ends
  /// within a second as Status::closed. Servers go on.
  void close() noexcept { closed_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool is_closed() const noexcept { return closed_.load(std::memory_order_relaxed); }

  struct Context;  // paths/links/network_context.h
  [[nodiscard]] Context& context() noexcept { return *context_; }

 private:
  NetworkLimits limits_;
  WhenLost when_lost_;
  NodeClock clock_;
  std::atomic<bool> closed_{false};
  std::unique_ptr<Context> context_;
};

}  // namespace eventspace
