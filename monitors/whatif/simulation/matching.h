#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "monitors/whatif/networks/network.h"
#include "monitors/whatif/simulation/agenda.h"
#include "monitors/whatif/simulation/messages.h"
#include "monitors/whatif/simulation/transport.h"

namespace eventspace::whatif {

/// Matches messages with receives, in order for each combination of sender, receiver, tag and group. A
/// partial receive takes its bytes from these messages as from a stream. Messages within a station are
/// carried here, all others by the transport. Not thread-safe.
class Matching final : public Transport::Ends, public Actor {
 public:
  class Tasks {
   public:
    virtual ~Tasks() = default;
    /// The operation of the request is complete at `at`, which may be later than now. `partner_began`: when
    /// the other task began its part. `own_began`: when `task` itself began, if the message depended on that:
    /// it left only after both had begun, or had arrived before its receive; otherwise 0.
    virtual void completed(std::uint32_t task, std::uint32_t request, Picoseconds at,
                           Picoseconds partner_began, Picoseconds own_began) = 0;
  };

  /// The arguments must outlive it, and so must the transport, which must be set with use() before the first
  /// send.
  Matching(Agenda& agenda, const Network& network, const std::vector<std::uint32_t>& stations, Tasks& tasks);
  void use(Transport& transport) noexcept { transport_ = &transport; }

  /// Hands a message over now; `message.request` is its sender's request. Returns whether the sender must
  /// wait for this request; if not, its completion is not reported.
  bool send(Message message, bool is_sync);
  void multicast(const Message& message, std::span<const std::uint32_t> destinations);
  void receive(const Receive& receive);

  void arrived(std::uint32_t message, std::uint64_t bytes, bool is_last, Picoseconds at) override;
  void left(std::uint32_t message, Picoseconds at) override;
  void processed(std::uint32_t receive, Picoseconds at) override;
  void happen(std::uint32_t what, std::uint32_t which) override;

  [[nodiscard]] bool is_local(std::uint32_t one, std::uint32_t other) const {
    return (*stations_)[one] == (*stations_)[other];
  }
  Pool<Message>& messages() noexcept { return messages_; }
  Pool<Receive>& receives() noexcept { return receives_; }
  [[nodiscard]] std::uint64_t bytes_sent() const noexcept { return bytes_sent_; }
  [[nodiscard]] std::uint64_t bytes_received() const noexcept { return bytes_received_; }
  [[nodiscard]] std::uint64_t messages_left() const noexcept { return open_messages_; }

 private:
  enum What : std::uint32_t { handed_over, local_arrives };
  struct Key {
    std::uint32_t from{0}, to{0}, group{0}, tag{0};
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const noexcept;
  };
  struct Channel {
    Queue messages{};            // unmatched
    Queue receives{};            // unmatched, or partial
    std::uint64_t available{0};  // bytes of these messages that have arrived but are not consumed
  };
  static constexpr std::size_t kept_channels = 65536;

  std::uint32_t make(const Message& message);
  void meet(std::uint32_t message);
  void bind(std::uint32_t message, std::uint32_t receive);
  void hand_over(std::uint32_t message);
  void ready(std::uint32_t receive, Picoseconds at);
  void ready_late(std::uint32_t receive, Picoseconds at);
  void try_partial(Channel& channel, bool is_posted_now);
  void consume(Channel& channel, std::uint32_t receive, bool is_late);
  void drop_if_empty(const Key& key, const Channel& channel);
  void free(std::uint32_t message);
  static Key key_of(const Message& message) { return {message.from, message.to, message.group, message.tag}; }

  Agenda* agenda_;
  const Network* network_;
  const std::vector<std::uint32_t>* stations_;
  Tasks* tasks_;
  Transport* transport_{nullptr};
  Pool<Message> messages_;
  Pool<Receive> receives_;
  std::unordered_map<Key, Channel, Hash> channels_;
  std::uint64_t open_messages_{0};
  std::uint64_t bytes_sent_{0};
  std::uint64_t bytes_received_{0};
};

}  // namespace eventspace::whatif
