#pragma once

// The requests of a link.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include <eventspace/operation.h>
#include "paths/links/reply.h"
#include "paths/wire/wire.h"

namespace eventspace {

/// The requests whose outcome has not been fetched, by number. Each is in one of two states:
///
///     add() -> open --settle(), lose(), refuse()--> settled --take()--> removed
///
/// 1. open() is the number of open requests, and with_waker() the number of those with a waker.
/// 2. A waker is called once, when its request is settled.
/// 3. The parts of a reply do not settle its request. They are kept until the reply arrives, within the
///    bounds that the constructor takes.
///
/// Knows no network. Not thread-safe.
class OpenRequests {
 public:
  struct Request {
    Waker* waker{nullptr};
    bool only_here{false};  ///< valid on the current connection only
    bool sent{false};
    std::uint64_t sent_ns{0};  ///< of a timed request
    std::vector<ReplyPart> parts;
    std::size_t part_bytes{0};
    std::optional<Reply> reply;
  };
  /// The most bytes and parts that are kept for one reply.
  OpenRequests(std::size_t max_part_bytes, std::size_t max_parts) noexcept
      : max_part_bytes_(max_part_bytes), max_parts_(max_parts) {}

  /// The reference is valid until the request is removed.
  Request& add(std::uint64_t id, Waker* waker, bool only_here);
  /// Null if there is none.
  [[nodiscard]] Request* find(std::uint64_t id) noexcept;
  [[nodiscard]] Request* find_open(std::uint64_t id) noexcept;
  void remove(std::uint64_t id);
  /// Replaces the waker; may be null.
  void watch(std::uint64_t id, Waker* waker);
  /// Keeps a part of the reply to `request`, which is open; false, and keeps nothing, if the part is
  /// malformed or exceeds the bounds. `message` owns what `parsed` points to.
  [[nodiscard]] bool add_part(Request& request, const wire::ParsedHeader& parsed,
                              std::shared_ptr<const void> message);
  /// Sets the outcome of an open request.
  void settle(Request& request, Reply reply);
  /// Reports the open requests as lost that the end of the connection concerns: they were sent, or are valid
  /// only there, or there will be no other connection (`ended`).
  void lose(bool ended);
  enum class Which : std::uint8_t { all, sent };
  /// Answers open requests with a failure, in place of a server that cannot. `connection`: its number.
  void refuse(Which which, const wire::Failure& failure, std::uint64_t connection);
  /// Returns the outcome and removes the request, if it is settled.
  std::optional<Reply> take(std::uint64_t id);

  [[nodiscard]] std::ptrdiff_t open() const noexcept { return open_; }
  [[nodiscard]] std::ptrdiff_t with_waker() const noexcept { return with_waker_; }

 private:
  void count(const Request& request, std::ptrdiff_t by) noexcept;

  std::size_t max_part_bytes_;
  std::size_t max_parts_;
  std::unordered_map<std::uint64_t, Request> requests_;
  std::ptrdiff_t open_{0};
  std::ptrdiff_t with_waker_{0};
};

}  // namespace eventspace
