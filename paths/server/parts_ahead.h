#pragma once

// Private to paths/.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "paths/server/replies.h"
#include "paths/views/view.h"

namespace eventspace {

/// Sends records of one view ahead of its reply, as parts, see paths/wire/wire.h. Not thread-safe; `replies`
/// must outlive it.
class PartsAhead final : public RecordsAhead {
 public:
  struct Limits {
    std::size_t message_bytes;    ///< of the parts of a view and its reply together
    std::size_t queued_messages;  ///< towards one peer: parts are a quarter of them at most
  };
  /// For the view that answers request `id` of `peer`.
  PartsAhead(Replies& replies, std::string peer, std::uint64_t id, Limits limits);

  /// Takes all there is when that is worth a part, unless it would be too much for the reply.
  void offer(View& view) override;

  /// How many bytes of messages went ahead.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  /// Whether what was taken could not be sent, so that the view cannot become whole.
  [[nodiscard]] bool has_failed() const noexcept { return failed_; }

 private:
  void send(std::span<const Bytes> pieces, ByteOrder order);

  Replies* replies_;
  std::string peer_;
  std::uint64_t id_;
  std::size_t most_bytes_;
  std::size_t parts_left_;
  std::size_t bytes_{0};
  bool failed_{false};
};

}  // namespace eventspace
