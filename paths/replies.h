#pragma once

// Private to paths/.

#include <cstdint>
#include <string>

#include "paths/loop_socket.h"
#include "paths/server_counters.h"
#include "paths/wire.h"

namespace eventspace {

/// What a server says to its peers. Never waits: what a peer that is gone, or does not read, should be told
/// is counted as undeliverable. Not thread-safe; socket and counters must outlive it.
class Replies {
 public:
  Replies(LoopSocket& router, ServerCounters& counters, std::size_t most_message_bytes) noexcept
      : router_(&router), counters_(&counters), most_message_bytes_(most_message_bytes) {}

  /// Sends a reply; one that is too large is refused instead.
  void send(const std::string& peer, const wire::Message& message);
  /// Answers request `id` with an error, which is counted.
  void refuse(const std::string& peer, std::uint64_t id, wire::Fault fault, const std::string& text);
  /// Refuses a message of `size` bytes that is none that a server takes.
  void refuse_message(const std::string& peer, std::uint64_t id, wire::Fault fault, std::size_t size);

  /// Whether there is a connection to it. Sends it a message that answers nothing.
  bool reaches(const std::string& peer);

 private:
  [[nodiscard]] std::string describe(wire::Fault fault, std::size_t size) const;
  bool transmit(const std::string& peer, const wire::Message& message);

  LoopSocket* router_;
  ServerCounters* counters_;
  std::size_t most_message_bytes_;
};

}  // namespace eventspace
