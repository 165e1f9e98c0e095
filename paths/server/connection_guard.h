#pragma once

// Private to paths/.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "paths/links/accepted_connection.h"
#include "tuplespace/operation.h"
#include "tuplespace/system/mapping.h"

namespace eventspace {

/// Bounds what the connections of one listening socket can hold before a message of theirs is seen.
///
/// ZeroMQ bounds the size of a frame and the number of messages. It keeps the frames of a message that is not
/// complete where no reader sees them, without a bound; and it accepts connections until the process has no
/// descriptors left, then tries again at once, for ever. So the guard
///
/// 1. compares the bytes that came in on a connection, which the kernel counts, with those of the messages
///    that were received from it, and ends the connection when more than one message is missing: twice in a
///    row without a message in between, or more than four at once. It also ends the connection with the
///    largest difference when all together have four messages missing.
/// 2. ends one connection of which no message was accepted yet for each new one, when there are more than
///    `most_unproven` of them and one has not sent ZeroMQ's greeting in 3 s or no message in 10 s; and
///    whatever their age, when there are as many connections as may be, or the process has fewer than
///    `spare_descriptors` left.
/// 3. keeps one descriptor in reserve. If others in the process have taken all, it gives that one up, so that
///    ZeroMQ can accept the connections that wait, and ends each of them.
///
/// It looks at connections that receive, every 3 ms at most, and at others never. So between two looks a
/// connection can send more than its bound: as much as ZeroMQ receives in that time. Used only by the thread
/// of the server's loop.
class ConnectionGuard {
 public:
  using Clock = std::chrono::steady_clock;
  struct Limits {
    std::size_t message_bytes;
    std::size_t connections;
  };
  /// `endpoint` is that of the listening socket, as bound. Throws EnvironmentError if the process has no
  /// descriptors left.
  ConnectionGuard(Limits limits, const std::string& endpoint);

  // What happens to connections, by their descriptors.
  void accepted(int descriptor);
  void ended(int descriptor);
  /// A message of `bytes` bytes was received from the connection.
  void received(int descriptor, std::size_t bytes);
  /// The server has accepted a message of the connection as that of a known peer.
  void proved(int descriptor);

  /// Readable while a connection receives that the guard has not looked at of late. The loop polls it if
  /// awaits_reports(), and calls look() then, and when next_look() has passed.
  [[nodiscard]] int descriptor() const noexcept { return set_.get(); }
  /// Not before the next look, which covers all connections that receive: or each message of each connection
  /// would wake the loop twice.
  [[nodiscard]] bool awaits_reports() const noexcept { return next_look_.is_never(); }
  [[nodiscard]] Deadline next_look() const noexcept { return earlier(next_look_, give_back_); }
  void look();

  /// How many connections were ended.
  [[nodiscard]] std::uint64_t cut() const noexcept { return cut_; }
  static constexpr std::size_t most_unproven{128};
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
    bool asleep{false};  // the kernel does not report what it receives, until the next look
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
  Deadline give_back_{Deadline::never()};  // memory, after a connection that held much was ended
  FileHandle reserve_;                     // not valid: the process has none left
  Clock::time_point looked_at_reserve_;
  std::uint64_t cut_{0};
};

}  // namespace eventspace
