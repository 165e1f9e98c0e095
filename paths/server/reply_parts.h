#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "paths/bodies/target_kind.h"
#include "paths/server/replies.h"

namespace eventspace {

/// Sends the parts that go ahead of the reply to one request (paths/wire/wire.h). Not thread-safe; `replies`
/// must outlive it.
class ReplyParts final : public PartSink {
 public:
  struct Limits {
    std::size_t message_bytes;    ///< for all parts and the reply together
    std::size_t queued_messages;  ///< to one peer; parts take at most a quarter of them
  };
  /// For the reply to request `id` of `peer`.
  ReplyParts(Replies& replies, std::string peer, std::uint64_t id, Limits limits);

  [[nodiscard]] std::size_t parts_left() const noexcept override { return parts_left_; }
  [[nodiscard]] std::size_t bytes_left() const noexcept override { return max_bytes_ - bytes_; }
  void send(const std::function<void(wire::Message&)>& write) override;

  [[nodiscard]] std::uint64_t sent() const noexcept { return sent_; }
  /// The bytes of all messages sent.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  /// Whether a part could not be sent, so that the result is incomplete.
  [[nodiscard]] bool has_failed() const noexcept { return failed_; }

 private:
  Replies* replies_;
  std::string peer_;
  std::uint64_t id_;
  std::size_t max_bytes_;
  std::size_t parts_left_;
  std::size_t bytes_{0};
  std::uint64_t sent_{0};
  bool failed_{false};
};

}  // namespace eventspace
