#pragma once

// Private to paths/.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "paths/links/loop_socket.h"
#include "paths/server/server_counters.h"
#include "paths/wire/wire.h"
#include "tuplespace/trace/node_clock.h"

namespace eventspace {

/// A request that has to be answered.
struct Asked {
  std::string peer;
  std::uint64_t id{0};
  std::optional<std::uint64_t> received_ns{};  ///< of a timed one, by the server's clock
};

/// What a server says to its peers. Never waits: what a peer that is gone, or does not read, should be told
/// is counted as undeliverable. Not thread-safe; socket, counters and clock must outlive it.
class Replies {
 public:
  Replies(LoopSocket& router, ServerCounters& counters, const NodeClock& clock,
          std::size_t most_message_bytes) noexcept
      : router_(&router), counters_(&counters), clock_(&clock), most_message_bytes_(most_message_bytes) {}

  /// Answers with what wire::encode makes of `reply`.
  template <class Reply>
  void answer(const Asked& asked, const Reply& reply) {
    send(asked, wire::encode(asked.id, reply, timing_of(asked)));
  }
  /// Whether the reply has to tell the server's times.
  [[nodiscard]] static wire::Timing timing_of(const Asked& asked) noexcept {
    return asked.received_ns ? wire::Timing::timed : wire::Timing::untimed;
  }
  /// Sends a reply that is encoded, with timing_of. One that is too large, with the bytes of its parts that
  /// went ahead, is refused instead.
  void send(const Asked& asked, wire::Message message, std::size_t bytes_ahead = 0);
  /// The same for an untimed message.
  void send(const std::string& peer, wire::Message message, std::size_t bytes_ahead = 0);
  /// Whether the part is on its way; if not, it is for the caller to say so.
  [[nodiscard]] bool send_part(const std::string& peer, wire::Message part);
  /// The same for a message that answers nothing; one that is larger than a message may be is not sent.
  [[nodiscard]] bool send_unasked(const std::string& peer, wire::Message message);
  void count_undeliverable() noexcept { ServerCounters::add(counters_->undeliverable); }
  /// Answers request `id` with an error, which is counted.
  void refuse(const std::string& peer, std::uint64_t id, wire::Fault fault, const std::string& text);
  /// Refuses a message of `size` bytes that is none that a server takes.
  void refuse_message(const std::string& peer, std::uint64_t id, wire::Fault fault, std::size_t size);

  /// Whether there is a connection to it. Sends it a message that answers nothing.
  bool reaches(const std::string& peer);

 private:
  [[nodiscard]] std::string describe(wire::Fault fault, std::size_t size) const;
  bool transmit(const std::string& peer, wire::Message message);

  LoopSocket* router_;
  ServerCounters* counters_;
  const NodeClock* clock_;
  std::size_t most_message_bytes_;
};

}  // namespace eventspace
