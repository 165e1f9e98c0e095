#pragma once

#include <cstdint>
#include <optional>

#include "paths/links/server_clock.h"
#include "paths/wire/wire.h"

namespace eventspace {

/// Decides when a link sends pings to compare the server's clock with its own, and which request waits for
/// them.
///
/// The first request after a pause must wake threads at both ends, and a reply may be large: such an exchange
/// is slow and yields a wide bound. Therefore, if there was no fast exchange recently
/// (ServerClock::is_stale), a request is held back while pings are sent, one after another, until one of them
/// was fast, max_pings were sent, or some milliseconds have passed.
///
/// 1. At most one ping is under way.
/// 2. While a request is held, a ping for it is under way. The numbers of its pings are the max_pings before
///    its own.
///
/// Reads no clock and sends nothing: the caller passes times of its clock, and sends the pings. Not
/// thread-safe.
class ClockComparison {
 public:
  static constexpr std::uint64_t max_pings = 4;  ///< sent ahead of one request

  /// `own`: the identity of the caller's clock, 0 if unknown.
  explicit ClockComparison(std::uint64_t own) noexcept : server_clock_(own) {}

  /// Whether a request that would be sent at `now_ns` should be held back for a comparison.
  [[nodiscard]] bool is_due(std::uint64_t now_ns) const noexcept {
    return now_ns >= begun_ns_ + ServerClock::fresh_for_ns && server_clock_.is_stale(now_ns);
  }
  /// Holds the request. Returns the number of the first ping; the caller sends it and calls sent().
  std::uint64_t begin(std::uint64_t request, std::uint64_t now_ns) noexcept {
    begun_ns_ = now_ns;
    held_ = request;
    return request - max_pings;
  }
  /// A ping was sent.
  void sent(std::uint64_t ping, std::uint64_t now_ns) noexcept { ping_ = {ping, now_ns}; }
  /// Takes the reply to the ping that is under way; no times: it had none. Returns the number of the next
  /// ping; nothing means that the caller releases the request.
  [[nodiscard]] std::optional<std::uint64_t> answer(const std::optional<wire::ServerTimes>& times,
                                                    std::uint64_t arrived_ns);
  /// Takes the exchange of another request.
  void compare(std::uint64_t sent_ns, const wire::ServerTimes& times, std::uint64_t arrived_ns) {
    server_clock_.compare(sent_ns, times, arrived_ns);
  }
  /// Stops holding the request; the reply to the ping is still expected.
  void release() noexcept { held_ = 0; }
  /// Stops expecting the reply to the ping.
  void forget_ping() noexcept { ping_ = {}; }

  [[nodiscard]] bool is_ping(std::uint64_t id) const noexcept { return ping_.id != 0 && ping_.id == id; }
  /// The number of the request that is held; 0 if none is.
  [[nodiscard]] std::uint64_t held() const noexcept { return held_; }
  [[nodiscard]] const ServerClock& server_clock() const noexcept { return server_clock_; }

 private:
  struct Ping {
    std::uint64_t id{0};  // 0 if none is under way
    std::uint64_t sent_ns{0};
  };

  ServerClock server_clock_;
  Ping ping_;
  std::uint64_t held_{0};
  std::uint64_t begun_ns_{0};  // when the last comparison began
};

}  // namespace eventspace
