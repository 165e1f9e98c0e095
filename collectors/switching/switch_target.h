#pragma once

// The kind of target through which a node's server switches the processes of its node. Its verb is
// Verb::exchange; opening it takes the name of the session. The bodies of its messages (msgpack arrays):
//
//     request      [processes, sets, period, events]
//     events       [kind, class, ...]; no pair twice, and "all" alone
//     sets         false: nothing is changed
//
//     reply        [[node, process, pid, state, refusal], ...]
//     state        [by_program, period, has_more, exceptions]
//     exceptions   [kind, class, period, ...]

#include <memory>
#include <string>
#include <vector>

#include "collectors/switching/switch_order.h"
#include "paths/bodies/target_client.h"
#include "paths/bodies/target_kind.h"

namespace eventspace {

/// The name of the kind in open requests.
inline constexpr const char* switch_target = "control";

/// Request and result of an operation on such a target.
struct SwitchBody : OperationBody {
  SwitchOrder order;
  std::vector<SwitchedProcess> processes;  ///< out, if the status is ok
};

/// Returns the spec to open the target with.
std::vector<std::byte> switch_spec(const std::string& session);

/// The client's end. Stateless.
class SwitchClient final : public TargetClient {
 public:
  void write_request(const Operation& operation, wire::Message& request) const override;
  [[nodiscard]] std::string read_reply(Operation& operation, const ReplyBody& reply) override;
};

/// The server's end: switches the processes of `node` in `session` on the server's machine. An operation
/// reads the directory of segments; otherwise it does not wait.
[[nodiscard]] std::shared_ptr<const TargetKind> switch_kind(std::string session, std::string node);

}  // namespace eventspace
