#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "paths/server/open_targets.h"
#include "paths/server/replies.h"
#include "paths/server/server_counters.h"
#include "paths/server/target_opener.h"
#include "paths/server/target_operations.h"
#include "paths/wire/wire.h"

namespace eventspace {

/// Performs the requests of a server's peers.
///
/// 1. A request is performed only if it was admitted: its id is larger than the last one of its peer.
/// 2. Each request that is not performed is refused, with a fault that is counted.
/// 3. An observer can only open targets of the observable kinds, and pull from them.
///
/// Never blocks. Not thread-safe.
class PeerRequests {
 public:
  struct Parts {
    OpenTargets& targets;
    TargetOpener& opener;
    TargetOperations& operations;
    Replies& replies;
    ServerCounters& counters;
  };
  /// `observable`: see Server::Config. `report` makes the answer to a ping. The parts and `observable` must
  /// outlive it.
  PeerRequests(Parts parts, const std::set<std::string>& observable,
               std::function<wire::ServerReport()> report)
      : parts_(parts), observable_(observable), report_(std::move(report)) {}

  /// Returns whether the request may be performed; if not, refuses it.
  [[nodiscard]] bool admit(const Asked& asked);
  /// Performs an admitted request, which must have no fault.
  void perform(const Asked& asked, const wire::ParsedHeader& parsed);

 private:
  void dispatch(const Asked& asked, const wire::ParsedHeader& parsed);
  void open(const Asked& asked, std::optional<wire::OpenRequest> request);
  void close(const Asked& asked, std::optional<wire::CloseRequest> request);
  void operate(const Asked& asked, const std::optional<wire::OperateRequest>& request, Bytes body);
  void cancel(const Asked& asked, const std::optional<wire::Cancel>& cancel);
  void push(const Asked& asked, const std::optional<wire::Push>& push, Bytes body);
  void on_credit(const Asked& asked, const std::optional<wire::Credit>& credit);
  void refuse(const Asked& asked, wire::Fault fault, const std::string& text);

  Parts parts_;
  const std::set<std::string>& observable_;
  std::function<wire::ServerReport()> report_;
};

}  // namespace eventspace
