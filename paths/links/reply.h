#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "paths/wire/wire.h"

namespace eventspace {

/// A message that the server sent ahead of a reply.
struct ReplyPart {
  std::shared_ptr<const void> message;  ///< owns the bytes of `body`
  Bytes body;
};

/// The outcome of a request: a reply, or the loss of the connection before there was one. Owns the message
/// that envelope and body are in.
class Reply {
 public:
  static Reply lost(bool sent) noexcept {
    Reply reply;
    reply.sent = sent;
    return reply;
  }
  /// `parsed` must point into `message`.
  Reply(const wire::ParsedHeader& parsed, std::shared_ptr<const void> message, std::uint64_t came_on,
        std::vector<ReplyPart> came_ahead = {}) noexcept
      : kind(parsed.header.kind),
        connection(came_on),
        parts(std::move(came_ahead)),
        message_(std::move(message)),
        envelope_(parsed.envelope),
        body_(parsed.body) {}

  wire::Kind kind{};
  bool sent{true};               ///< the request may have reached the server
  std::uint64_t connection{0};   ///< number of the connection that it came on, see Link::send
  std::vector<ReplyPart> parts;  ///< the messages that came ahead of it
  [[nodiscard]] bool is_lost() const noexcept { return message_ == nullptr; }
  [[nodiscard]] Bytes envelope() const noexcept { return envelope_; }
  [[nodiscard]] Bytes body() const noexcept { return body_; }
  /// Owns the bytes of envelope and body.
  [[nodiscard]] const std::shared_ptr<const void>& message() const noexcept { return message_; }

 private:
  Reply() = default;
  std::shared_ptr<const void> message_;  // null if lost
  Bytes envelope_;
  Bytes body_;
};

}  // namespace eventspace
