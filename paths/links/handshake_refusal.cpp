#include "paths/links/handshake_refusal.h"

#include <fmt/format.h>
#include <zmq.h>

namespace eventspace {
namespace {

bool is_mismatch(const FailedHandshake& failed) noexcept {
  return failed.event == ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL &&
         failed.value == ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH;
}

}  // namespace

// A wrong key of the server shows only as the end of the connection, which may also be the end of the
// server's process; so only several such ends in a row count as a refusal.
std::string refusal_by(const std::string& endpoint, const FailedHandshake& failed,
                       const SessionSecurity* security) {
  constexpr int ends_of_refusal = 3;
  if (security == nullptr) {
    if (!is_mismatch(failed)) return {};
    return fmt::format(
        "the server at {} asks for keys, and this process has none: the pathmaps of the two "
        "differ in `security`",
        endpoint);
  }
  if (failed.event == ZMQ_EVENT_HANDSHAKE_FAILED_AUTH) {
    return fmt::format(
        "the server at {} refuses this process's key ({}): it admits only the keys of its own "
        "session, or no observers any more",
        endpoint, security->source);
  }
  if (is_mismatch(failed)) {
    return fmt::format(
        "the server at {} has no keys, and this process connects only to servers with keys: another program "
        "has the port, or the two pathmaps differ in `security`",
        endpoint);
  }
  if (failed.in_a_row < ends_of_refusal) return {};
  return fmt::format(
      "the server at {} does not have the keys of this process ({}): it is of another session "
      "or user, or runs since before `eventspace up` made these keys",
      endpoint, security->source);
}

}  // namespace eventspace
