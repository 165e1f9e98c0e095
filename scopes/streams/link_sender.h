#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <eventspace/deadline.h>
#include "scopes/streams/stream_table.h"

namespace eventspace::streams {

/// Sends what is queued for the links of a process: packs control frames and the packets of all streams for
/// one link into few messages. If the caller flushes when it has no more input, a packet of an idle stream
/// leaves at once, and packets of busy streams leave together (holding.h).
///
/// Invariant: frames and packets are removed from their queues only when their message was sent.
///
/// Not thread-safe. Never blocks, except in filters.
class LinkSender {
 public:
  using Clock = StreamTable::Clock;
  static constexpr std::size_t batch_bytes = 64u << 10;  ///< a message of this size is full

  /// Both must outlive this object.
  LinkSender(NodeLinks& links, StreamTable& streams) : links_(links), streams_(streams) {}
  LinkSender(const LinkSender&) = delete;
  LinkSender& operator=(const LinkSender&) = delete;

  /// Passes on waves whose time is up, and sends all that can be sent, except packets of busy streams that
  /// wait for more.
  void flush();
  /// To be called when the user has sent a packet: does flush(), also of busy streams, unless the user is
  /// expected to send more at once. The caller flushes before it waits.
  void flush_after_send(std::uint32_t stream);
  /// To be called when the user has taken a packet: does flush() if packets were held for long, or if this
  /// grants credit. With a large window the credit waits for the user's next packet to be sent or taken.
  void flush_after_take();
  /// When flush() has work to do without a message.
  [[nodiscard]] Deadline due() const;

 private:
  /// A stream's packets in a message.
  struct Packed {
    NodeStream* stream;
    Flow* flow;
    std::size_t packets;
  };

  void send_links();
  void send_link(NodeLink& link, std::optional<Child> child);
  [[nodiscard]] std::vector<std::byte> pack(const NodeLink& link, std::optional<Child> child);
  void account(std::optional<Child> child);

  NodeLinks& links_;
  StreamTable& streams_;
  std::vector<Packed> packed_;  // of the message being packed; a member to reuse its memory
};

}  // namespace eventspace::streams
