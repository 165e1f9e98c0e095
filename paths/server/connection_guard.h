#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <eventspace/operation.h>
#include "paths/sockets/accepted_connection.h"
#include "tuplespace/system/mapping.h"

namespace eventspace {

/// Bounds the memory that the connections of one listening socket can use before a message is received from
/// them.
///
/// ZeroMQ bounds the size of a frame and the number of messages. It stores the frames of an incomplete
/// message without a bound, invisible to readers; and it accepts connections until the process runs out of
/// descriptors, then retries at once, endlessly. So the guard
///
/// 1. compares the bytes that arrived on a connection, counted by the kernel, with the bytes of the messages
///    received from it. It ends the connection if more than one message is missing twice in a row without a
///    message in between, or if more than four are missing at once. It also ends the connection with the
///    largest difference when four messages are missing over all connections.
/// 2. ends an unproven connection, one without an accepted message, for each new connection, if there are
///    more than `max_unproven` of them and one has not sent ZeroMQ's greeting within 3 s or a message within
///    10 s; and regardless of age, if the maximum number of connections is reached, or the process has fewer
///    than `spare_descriptors` left.
/// 3. keeps one descriptor in reserve. If the process has used all others, it releases the reserve, so that
///    ZeroMQ can accept the waiting connections, and ends each of them.
///
/// It checks receiving connections, at most every 3 ms, and never checks others. So between two checks a
/// connection can exceed its bound by as much as ZeroMQ receives in that time. Used only by the thread of the
/// server's loop.
class ConnectionGuard {
 public:
  using Clock = std::chrono::steady_clock;
  struct Limits {
    std::size_t message_bytes;
    std::size_t connections;
  };
  /// `endpoint` is the listening socket's, as bound. Throws EnvironmentError if the process has run out of
  /// descriptors.
  ConnectionGuard(Limits limits, const std::string& endpoint);

  // Events of connections, by their descriptors.
  void accepted(int descriptor);
  void ended(int descriptor);
  /// A message of `bytes` bytes was received from the connection.
  void received(int descriptor, std::size_t bytes);
  /// The server has accepted a message of the connection from a known peer.
  void proved(int descriptor);

  /// Readable while a connection receives that was not checked recently. The loop polls it if
  /// awaits_reports(), and calls look() when it is readable, and when next_look() has passed.
  [[nodiscard]] int descriptor() const noexcept { return set_.get(); }
  /// False until the next look, which covers all receiving connections: otherwise each message of each
  /// connection would wake the loop twice.
  [[nodiscard]] bool awaits_reports() const noexcept { return next_look_.is_never(); }
  [[nodiscard]] Deadline next_look() const noexcept { return earlier(next_look_, give_back_); }
  void look();

  /// Number of connections that were ended.
  [[nodiscard]] std::uint64_t cut() const noexcept { return cut_; }
  static constexpr std::size_t max_unproven{128};
  static constexpr std::size_t spare_descriptors{16};

 private:
  struct Connection {
    explicit Connection(int descriptor) noexcept : bytes(descriptor) {}
    ReceivedBytes bytes;
    Clock::time_point since{Clock::now()};
    std::uint64_t came{0};                        // as of the last look
    std::uint64_t delivered{0};                   // bytes of messages received from it
    std::optional<std::uint64_t> suspected_at{};  // `delivered` when too much was missing first
    bool proven{false};
    bool asleep{false};  // the kernel does not report its input until the next look
  };
  using Connections = std::unordered_map<int, Connection>;

  void cut(int descriptor);
  void cut_overdue();
  [[nodiscard]] std::optional<int> longest_silent();
  void watch(int descriptor, int how) const;
  void take_reports();
  void examine(int descriptor, Connection& connection);
  void bound_sum();
  void give_memory_back();
  void look_at_reserve();
  [[nodiscard]] static std::uint64_t missing(const Connection& connection) noexcept;
  [[nodiscard]] bool has_few_descriptors() const;

  Limits limits_;
  std::uint64_t one_message_;
  ListenAddress address_;
  FileHandle set_;
  Connections connections_;
  std::deque<int> unproven_;  // in the order of acceptance
  std::vector<int> asleep_;
  Deadline next_look_{Deadline::never()};
  Deadline give_back_{Deadline::never()};  // memory, after a connection with much of it was ended
  FileHandle reserve_;                     // invalid if the process has run out of descriptors
  Clock::time_point looked_at_reserve_;
  std::uint64_t cut_{0};
};

}  // namespace eventspace
